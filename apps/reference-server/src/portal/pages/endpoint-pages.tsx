import { eventTypes, type EventType } from '@kyc-relay/webhooks'
import type { Endpoint, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { PreviewedRequest } from '../../webhooks-api/test-event.js'
import { endpointsPerApp } from '../../webhooks-api/endpoint-changes.js'
import type { DeliveryDay } from '../delivery-day.js'
import type { Session } from '../sessions.js'
import { DeliveryChart } from './delivery-chart.js'
import { CopyBlock, Day, Instant, State } from './components.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'
import { FailingUrls } from './failing-urls.js'
import { RecordTable } from './record-table.js'

/** Renders the event types of an endpoint. */
export const EventTypes: FC<{ readonly types: readonly EventType[] | null }> = ({ types }) =>
  types === null ? (
    <>All events</>
  ) : (
    <>
      {types.map((type, index) => (
        <>
          {index === 0 ? '' : ', '}
          <code>{type}</code>
        </>
      ))}
    </>
  )

type EndpointHealth = Awaited<ReturnType<WebhookStore['listEndpointHealth']>>[number]

/** Renders the state of an endpoint with what explains it. */
const EndpointStateMark: FC<{ readonly endpoint: Endpoint; readonly health: EndpointHealth | undefined }> = ({
  endpoint,
  health,
}) => {
  const since = health?.failingSince ?? null
  if (endpoint.pausedBy !== null)
    return (
      <>
        <State tone="quiet">Paused</State>
        <div class="hint">{endpoint.pausedBy === 'OPERATOR' ? 'by the operator' : 'by your application'}</div>
      </>
    )
  if (since === null) return <State tone="good">Healthy</State>
  const last = health?.lastSuccessAt ?? null
  return (
    <>
      <State tone="bad">Failing</State>
      <div class="hint">
        since <Instant at={since} />
        {last === null ? (
          ', no success yet'
        ) : (
          <>
            , last success <Instant at={last} />
          </>
        )}
      </div>
    </>
  )
}

const PauseForm: FC<{ readonly session: Session; readonly endpoint: Endpoint }> = ({ session, endpoint }) => {
  const verb = endpoint.pausedBy === null ? 'pause' : 'resume'
  return (
    <form method="post" action={`/portal/webhooks/${endpoint.endpointId}/${verb}`}>
      <CsrfField session={session} />
      <button type="submit" class="plain">
        {verb === 'pause' ? 'Pause' : 'Resume'}
        <span class="visually-hidden"> {endpoint.url}</span>
      </button>
    </form>
  )
}

/** Renders every endpoint of the app, and the deliveries of the last 24 hours. */
export const EndpointsPage: FC<{
  readonly session: Session
  readonly endpoints: readonly Endpoint[]
  readonly health: readonly EndpointHealth[]
  readonly day: DeliveryDay
}> = ({ session, endpoints, health, day }) => (
  <PortalFrame
    title="Webhooks"
    session={session}
    place="webhooks"
    crumbs={[...developerCrumbs, { label: 'Webhooks' }]}
    lead="The service sends events to these URLs and signs them with your API key. It sends an event only if the user granted your application the matching scope."
    actions={
      <a class="button primary" href="/portal/webhooks/new">
        Add new URL
      </a>
    }
  >
    <FailingUrls endpoints={endpoints} health={health} />
    {endpoints.length === 0 ? (
      <div class="empty">
        <h2>No URL yet</h2>
        <p>No events are sent before you add one. Then you can recover the events that were published until now.</p>
        <a class="button" href="/portal/webhooks/new">
          Add new URL
        </a>
      </div>
    ) : (
      <section aria-labelledby="urls">
        <h2 id="urls">{endpoints.length === 1 ? 'One URL' : `${endpoints.length} URLs`}</h2>
        <RecordTable
          label="Table of URLs"
          columns={[
            { label: 'URL', heads: true, class: 'url' },
            { label: 'State' },
            { label: 'Events' },
            { label: 'Actions', hidden: true },
          ]}
          rows={endpoints.map((endpoint) => [
            <>
              {endpoint.url}
              {endpoint.description === null ? null : <div class="hint">{endpoint.description}</div>}
              <div class="hint">
                Added <Day at={endpoint.createdAt} />
              </div>
            </>,
            <EndpointStateMark
              endpoint={endpoint}
              health={health.find(({ endpointId }) => endpointId === endpoint.endpointId)}
            />,
            <>
              <EventTypes types={endpoint.eventTypes} />
              {endpoint.standardWebhooks ? <div class="hint">with Standard Webhooks headers</div> : null}
              {endpoint.headers === null ? null : <div class="hint">with {endpoint.headers.names.join(', ')}</div>}
            </>,
            <div class="actions">
              <a href={`/portal/webhooks/${endpoint.endpointId}/test`}>
                Send test event<span class="visually-hidden"> to {endpoint.url}</span>
              </a>
              <a href={`/portal/deliveries?endpointId=${endpoint.endpointId}`}>
                Deliveries<span class="visually-hidden"> to {endpoint.url}</span>
              </a>
              <a href={`/portal/webhooks/${endpoint.endpointId}/change`}>
                Change<span class="visually-hidden"> {endpoint.url}</span>
              </a>
              <a href={`/portal/webhooks/${endpoint.endpointId}/recover`}>
                Recover<span class="visually-hidden"> what {endpoint.url} missed</span>
              </a>
              <PauseForm session={session} endpoint={endpoint} />
              <a href={`/portal/webhooks/${endpoint.endpointId}/remove`}>
                Remove<span class="visually-hidden"> {endpoint.url}</span>
              </a>
            </div>,
          ])}
        />
        {endpoints.length >= endpointsPerApp ? (
          <p class="hint">An application can have {endpointsPerApp} URLs. Remove one to add another.</p>
        ) : null}
      </section>
    )}
    <DeliveryChart day={day} />
  </PortalFrame>
)

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
  readonly eventType: EventType
  readonly request: PreviewedRequest
  readonly previewId: string
}> = ({ session, endpoint, eventType, request, previewId }) => {
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
            {eventTypes.map((type) => (
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
