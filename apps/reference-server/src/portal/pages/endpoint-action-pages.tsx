import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { PreviewedRequest } from '../../webhooks-api/test-event.js'
import type { Session } from '../sessions.js'
import { CopyBlock } from './components.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'

export const RemoveEndpointPage: FC<{ readonly session: Session; readonly endpoint: Endpoint }> = ({
  session,
  endpoint,
}) => (
  <PortalFrame
    title="Remove this URL?"
    session={session}
    place="webhooks"
    crumbs={[...developerCrumbs, { label: 'Webhooks', href: '/portal/webhooks' }, { label: 'Remove' }]}
  >
    <section>
      <p class="url">{endpoint.url}</p>
      <p>
        Deliveries to it that are still waiting are cancelled, unless another of your URLs is the same. What was
        delivered stays in the log. To change the event types or the address,{' '}
        <a href={`/portal/webhooks/${endpoint.endpointId}/change`}>change it</a> instead.
      </p>
      <form method="post" action={`/portal/webhooks/${endpoint.endpointId}/remove`}>
        <CsrfField session={session} />
        <div class="actions">
          <button type="submit" class="danger">
            Remove URL
          </button>
          <a href="/portal/webhooks">Keep it</a>
        </div>
      </form>
    </section>
  </PortalFrame>
)

/** Renders a test event before it is sent: the exact request. */
export const TestEventPage: FC<{
  readonly session: Session
  readonly endpoint: Endpoint
  readonly eventType: string
  /** Event types that can be selected. */
  readonly names: readonly string[]
  readonly request: PreviewedRequest
  readonly previewId: string
}> = ({ session, endpoint, eventType, names, request, previewId }) => {
  const { pathname, search } = new URL(request.url)
  const head = [
    `POST ${pathname}${search} HTTP/1.1`,
    ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return (
    <PortalFrame
      title="Send a test event"
      session={session}
      place="webhooks"
      crumbs={[...developerCrumbs, { label: 'Webhooks', href: '/portal/webhooks' }, { label: 'Test event' }]}
      lead={
        <>
          To <span class="url">{endpoint.url}</span>. It contains no real user: user and account id are the nil UUID,
          and <code>X-Test-Event</code> says so too. It is delivered and retried like any other event.
        </>
      }
    >
      <form method="get" action={`/portal/webhooks/${endpoint.endpointId}/test`} class="filters">
        <div class="field">
          <label for="eventType">Event type</label>
          <select id="eventType" name="eventType">
            {names.map((type) => (
              <option value={type} selected={type === eventType ? true : undefined}>
                {type}
              </option>
            ))}
          </select>
        </div>
        <button type="submit">Show</button>
      </form>
      <section aria-labelledby="request">
        <h2 id="request">The request, exactly</h2>
        <CopyBlock id="preview-head" label="Request line and headers" text={head.join('\n')} />
        <CopyBlock id="preview-body" label={`Body, ${request.headers['content-length']} bytes`} text={request.body} />
        <p class="hint">
          {request.headers['content-length']} bytes of body, on one line as sent. <code>x-hmac-signature</code> is the
          HMAC-SHA-256 of these bytes under your API key, in hex.
          {endpoint.standardWebhooks ? ' The Standard Webhooks headers are made anew at the moment of sending.' : ''}
          {endpoint.headers === null ? '' : ' The values of your static headers are not shown.'}
        </p>
      </section>
      <form method="post" action={`/portal/webhooks/${endpoint.endpointId}/test`}>
        <CsrfField session={session} />
        <input type="hidden" name="preview" value={previewId} />
        <div class="actions">
          <button type="submit" class="primary">
            Send {eventType}
          </button>
          <a href="/portal/webhooks">Back</a>
        </div>
      </form>
    </PortalFrame>
  )
}
