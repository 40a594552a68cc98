import type { DeliveryRecord, Endpoint } from '@kyc-relay/webhooks/delivery'
import type { DeliveryState } from '@kyc-relay/webhooks/internal'
import type { FC } from 'hono/jsx'
import type { Session } from '../sessions.js'
import type { LogFilters } from '../log-filters.js'
import { DeliveryKind } from './delivery-kind.js'
import { BreakableUrl, DeliveryStateMark, describedBy, FieldProblem, Instant } from './components.js'
import { NextAttempt } from './next-attempt.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'
import { RecordTable } from './record-table.js'

const states: readonly DeliveryState[] = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']
const stateWords: Readonly<Record<DeliveryState, string>> = {
  PENDING: 'Pending',
  DELIVERED: 'Delivered',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
}

export const DeliveriesPage: FC<{
  readonly session: Session
  readonly endpoints: readonly Endpoint[]
  readonly filters: LogFilters
  /** Event types that can be selected. */
  readonly eventTypes: readonly string[]
  readonly deliveries: readonly DeliveryRecord[]
  readonly nextPage: string | null
  readonly firstPage: string | null
  /** Address of this page of the log. */
  readonly thisPage: string
  readonly problem: string | null
  /** What is wrong with the id to find. */
  readonly findProblem: string | null
  readonly now: Date
}> = ({
  session,
  endpoints,
  filters,
  eventTypes,
  deliveries,
  nextPage,
  firstPage,
  thisPage,
  problem,
  findProblem,
  now,
}) => {
  const pausedIds = new Set(endpoints.filter(({ pausedBy }) => pausedBy !== null).map(({ endpointId }) => endpointId))
  return (
    <PortalFrame
      title="Delivery log"
      session={session}
      place="deliveries"
      crumbs={[...developerCrumbs, { label: 'Delivery log' }]}
      lead="Every delivery of an event to a URL, newest first."
      actions={<RecoverLink endpoints={endpoints} endpointId={filters.endpointId} />}
      notice={problem === null ? null : { tone: 'bad', text: problem }}
    >
      <form method="get" action="/portal/deliveries" class="filters many">
        <div class="field wide">
          <label for="find">Id of an event, user or transaction, or X-Event-ID</label>
          <input
            id="find"
            name="find"
            type="search"
            maxlength={200}
            value={filters.find}
            autocomplete="off"
            {...describedBy('find', findProblem)}
          />
          <FieldProblem field="find" problem={findProblem} />
        </div>
        <div class="field">
          <label for="status">Status</label>
          <select id="status" name="status">
            <option value="">Any</option>
            {states.map((state) => (
              <option value={state} selected={filters.status === state ? true : undefined}>
                {stateWords[state]}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="eventType">Event type</label>
          <select id="eventType" name="eventType">
            <option value="">Any</option>
            {eventTypes.map((type) => (
              <option value={type} selected={filters.eventType === type ? true : undefined}>
                {type}
              </option>
            ))}
          </select>
        </div>
        <div class="field wide">
          <label for="endpointId">URL</label>
          <select id="endpointId" name="endpointId">
            <option value="">Any</option>
            {endpoints.map((endpoint) => (
              <option
                value={endpoint.endpointId}
                selected={filters.endpointId === endpoint.endpointId ? true : undefined}
              >
                {endpoint.url}
              </option>
            ))}
            {filters.endpointId !== undefined && !endpoints.some((one) => one.endpointId === filters.endpointId) ? (
              <option value={filters.endpointId} selected>
                A removed URL
              </option>
            ) : null}
          </select>
        </div>
        <div class="field">
          <label for="httpStatus">HTTP status</label>
          <input
            id="httpStatus"
            name="httpStatus"
            inputmode="numeric"
            pattern="[1-5][0-9][0-9]"
            value={filters.httpStatus}
          />
        </div>
        <div class="field">
          <label for="from">From (UTC)</label>
          <input id="from" name="from" type="datetime-local" value={filters.from} />
        </div>
        <div class="field">
          <label for="until">Before (UTC)</label>
          <input id="until" name="until" type="datetime-local" value={filters.until} />
        </div>
        <div class="actions">
          <button type="submit">Filter</button>
          {Object.values(filters).some((value) => value !== undefined) ? <a href="/portal/deliveries">Clear</a> : null}
        </div>
      </form>
      {/* The newest page is live, with the link to the page after its last row. */}
      <div data-live data-refresh={firstPage === null ? '' : undefined}>
        {deliveries.length === 0 ? (
          <div class="empty">
            <h2>Nothing here</h2>
            <p>No delivery matches. To create one, send a test event from the list of webhooks.</p>
            <a class="button" href="/portal/webhooks">
              Webhooks
            </a>
          </div>
        ) : (
          <form method="post" action="/portal/deliveries/resend">
            <CsrfField session={session} />
            <input type="hidden" name="back" value={thisPage} />
            <RecordTable
              label="Deliveries"
              columns={[
                { label: 'Select', hidden: true },
                { label: 'Status' },
                { label: 'Event', heads: true },
                { label: 'URL', class: 'url' },
                { label: 'Attempts' },
                { label: 'HTTP status' },
                { label: 'Latency' },
                { label: 'Created' },
              ]}
              rows={deliveries.map((delivery) => [
                delivery.state === 'PENDING' ? null : (
                  <input
                    type="checkbox"
                    name="deliveryId"
                    value={delivery.deliveryId}
                    aria-label={`Select ${delivery.eventType}, ${delivery.createdAt.toISOString()}`}
                  />
                ),
                <DeliveryStateMark state={delivery.state} />,
                <>
                  <a class="whole-row" href={`/portal/deliveries/${delivery.deliveryId}`}>
                    <code>{delivery.eventType}</code>
                  </a>{' '}
                  <DeliveryKind delivery={delivery} />
                  <div class="hint">
                    <code title={delivery.deliveryId}>…{delivery.deliveryId.slice(-12)}</code>
                  </div>
                </>,
                <BreakableUrl url={delivery.url} />,
                <>
                  {delivery.attemptsMade} of 5
                  {delivery.nextAttemptAt === null ? null : (
                    <div class="hint">
                      <NextAttempt
                        at={delivery.nextAttemptAt}
                        now={now}
                        isPaused={!delivery.test && pausedIds.has(delivery.endpointId)}
                      />
                    </div>
                  )}
                </>,
                delivery.httpStatus ?? '–',
                delivery.latencyMs === null ? '–' : `${Math.round(delivery.latencyMs)}\u00a0ms`,
                <Instant at={delivery.createdAt} relative />,
              ])}
            />
            <div class="actions">
              <button type="submit">Send selected again</button>
            </div>
          </form>
        )}
        {nextPage === null && firstPage === null ? null : (
          <nav class="actions" aria-label="Pages">
            {firstPage === null ? null : <a href={firstPage}>Newest</a>}
            {nextPage === null ? null : (
              <a href={nextPage} rel="next">
                Older deliveries
              </a>
            )}
          </nav>
        )}
      </div>
    </PortalFrame>
  )
}

/** Leads to the recovery of the chosen URL, or of the only one. */
const RecoverLink: FC<{ readonly endpoints: readonly Endpoint[]; readonly endpointId: string | undefined }> = ({
  endpoints,
  endpointId,
}) => {
  const chosen = endpoints.length === 1 ? endpoints[0] : endpoints.find((one) => one.endpointId === endpointId)
  if (endpoints.length === 0) return null
  return chosen === undefined ? (
    <span class="hint">Choose a URL to recover what it missed.</span>
  ) : (
    <a class="button" href={`/portal/webhooks/${chosen.endpointId}/recover`}>
      Recover since…
    </a>
  )
}
