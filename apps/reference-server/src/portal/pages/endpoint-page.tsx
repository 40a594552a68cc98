import { explainAttempt, reportOfCause, type Endpoint } from '@kyc-relay/webhooks/delivery'
import type { AttemptCause, EndpointHealth } from '@kyc-relay/webhooks/internal'
import type { FC } from 'hono/jsx'
import type { AttemptTotals, DeliveryHour } from '../attempt-counts.js'
import type { Session } from '../sessions.js'
import { visibleText } from '../format.js'
import { Day, Fact, Instant } from './components.js'
import { DeliveryChart } from './delivery-chart.js'
import { EndpointActions, EndpointStateMark, EventsOfEndpoint } from './endpoint-pages.js'
import { developerCrumbs, PortalFrame } from './portal-frame.js'
import { RecordTable } from './record-table.js'

/** Renders one endpoint: its state, its counts of the last day and month, and why attempts failed. */
export const EndpointPage: FC<{
  readonly session: Session
  readonly endpoint: Endpoint
  readonly health: EndpointHealth | undefined
  readonly hours: readonly DeliveryHour[]
  readonly day: AttemptTotals
  readonly month: AttemptTotals
}> = ({ session, endpoint, health, hours, day, month }) => (
  <PortalFrame
    title={visibleText(endpoint.description?.trim() || 'Webhook URL')}
    session={session}
    place="webhooks"
    crumbs={[...developerCrumbs, { label: 'Webhooks', href: '/portal/webhooks' }, { label: 'URL' }]}
    lead={<span class="url">{endpoint.url}</span>}
  >
    <section aria-label="State">
      <dl class="facts">
        <Fact name="State">
          <EndpointStateMark endpoint={endpoint} health={health} />
        </Fact>
        <Fact name="Events">
          <EventsOfEndpoint endpoint={endpoint} />
        </Fact>
        <Fact name="Added">
          <Day at={endpoint.createdAt} />
        </Fact>
      </dl>
      <EndpointActions session={session} endpoint={endpoint} />
    </section>
    <section aria-labelledby="counts">
      <h2 id="counts">Deliveries that ended</h2>
      <RecordTable
        label="Table of counts"
        columns={[
          { label: 'Time', heads: true },
          { label: 'At once' },
          { label: 'With retries' },
          { label: 'Failed' },
          { label: 'Success rate' },
        ]}
        rows={[countsRow('The last 24 hours', day), countsRow('The last 30 days', month)]}
      />
      <p class="hint">
        Counted since <Instant at={endpoint.createdAt} />. A change of the URL or its settings starts at zero.
      </p>
    </section>
    <section aria-labelledby="causes">
      <h2 id="causes">Why attempts failed</h2>
      {month.causes.length === 0 ? (
        <p class="hint">No attempt failed in the last 30 days.</p>
      ) : (
        <RecordTable
          label="Table of causes"
          columns={[{ label: 'Cause', heads: true }, { label: 'Last 24 hours' }, { label: 'Last 30 days' }]}
          rows={month.causes.map(({ cause, attempts }) => [
            <>
              {meaningOf(cause, endpoint.url)}
              <div class="hint">
                <code>{cause}</code>
              </div>
            </>,
            String(day.causes.find((one) => one.cause === cause)?.attempts ?? 0),
            String(attempts),
          ])}
        />
      )}
    </section>
    <DeliveryChart day={hours} />
  </PortalFrame>
)

function countsRow(label: string, { delivered, retried, failed, successRate }: AttemptTotals) {
  return [label, ...[delivered, retried, failed].map(String), successRate === null ? '–' : rateText(successRate)]
}

/** Rounds down, so that 100 % means that nothing failed. */
const rateText = (rate: number) => `${(Math.floor(rate * 1000) / 10).toFixed(1)} %`

/** Causes whose explanation depends on the attempt. */
const meanings: Partial<Record<AttemptCause, string>> = {
  HTTP_STATUS: 'The endpoint answered with another status than 2xx.',
  REDIRECT: 'The endpoint redirected. The service does not follow redirects.',
  TIMEOUT: 'The endpoint did not acknowledge within 30 seconds.',
}

function meaningOf(cause: AttemptCause, endpointUrl: string): string {
  return meanings[cause] ?? explainAttempt(reportOfCause(cause), endpointUrl).cause
}
