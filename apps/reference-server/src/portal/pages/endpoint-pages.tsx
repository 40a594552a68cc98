import type { EventName, EndpointHealth } from '@kyc-relay/webhooks/internal'
import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import { endpointsPerApp } from '@kyc-relay/webhooks/internal'
import type { DeliveryHour } from '../attempt-counts.js'
import { visibleText } from '../format.js'
import type { Session } from '../sessions.js'
import { DeliveryChart } from './delivery-chart.js'
import { BreakableUrl, Day, Instant, State } from './components.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'
import { FailingUrls } from './failing-urls.js'
import { RecordTable } from './record-table.js'

/** Renders the event types of an endpoint. */
export const EventTypes: FC<{ readonly types: readonly EventName[] | null }> = ({ types }) =>
  types === null ? (
    <>All standard types</>
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

/** Renders what is sent to an endpoint: event types, and headers beyond the usual ones. */
export const EventsOfEndpoint: FC<{ readonly endpoint: Endpoint }> = ({ endpoint }) => (
  <>
    <EventTypes types={endpoint.eventTypes} />
    {endpoint.standardWebhooks ? <div class="hint">with Standard Webhooks headers</div> : null}
    {endpoint.headers === null ? null : <div class="hint">with {endpoint.headers.names.join(', ')}</div>}
  </>
)

/** Renders the state of an endpoint with what explains it. */
export const EndpointStateMark: FC<{ readonly endpoint: Endpoint; readonly health: EndpointHealth | undefined }> = ({
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
      </div>
      <div class="hint">
        {last === null ? (
          'no success yet'
        ) : (
          <>
            last success <Instant at={last} />
          </>
        )}
      </div>
    </>
  )
}

/** Renders the button that pauses or resumes an endpoint. */
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

/** Renders what can be done with an endpoint. */
export const EndpointActions: FC<{ readonly session: Session; readonly endpoint: Endpoint }> = ({
  session,
  endpoint,
}) => (
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
  </div>
)

/** Renders every endpoint of the app, and the deliveries of the last 24 hours. */
export const EndpointsPage: FC<{
  readonly session: Session
  readonly endpoints: readonly Endpoint[]
  readonly health: readonly EndpointHealth[]
  readonly day: readonly DeliveryHour[]
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
              <a href={`/portal/webhooks/${endpoint.endpointId}`}>
                <BreakableUrl url={endpoint.url} />
              </a>
              {endpoint.description === null ? null : <div class="hint">{visibleText(endpoint.description)}</div>}
              <div class="hint">
                Added <Day at={endpoint.createdAt} />
              </div>
            </>,
            <EndpointStateMark
              endpoint={endpoint}
              health={health.find(({ endpointId }) => endpointId === endpoint.endpointId)}
            />,
            <EventsOfEndpoint endpoint={endpoint} />,
            <EndpointActions session={session} endpoint={endpoint} />,
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
