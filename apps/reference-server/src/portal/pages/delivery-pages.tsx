import { eventTypes, type EventType } from '@kyc-relay/webhooks'
import {
  explainAttempt,
  reproducibleCurl,
  type AttemptRecord,
  type DeliveryRecord,
  type DeliveryState,
  type Endpoint,
  type WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { Session } from '../sessions.js'
import { durationText, visibleText } from '../words.js'
import { attemptTones, CopyBlock, DeliveryStateMark, Fact, Instant, Shape } from './parts.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'

/** Filters of the log, as they were asked for. */
export interface DeliveryFilters {
  readonly status?: DeliveryState | undefined
  readonly eventType?: EventType | undefined
  readonly endpointId?: string | undefined
}

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
  readonly filters: DeliveryFilters
  readonly deliveries: readonly DeliveryRecord[]
  readonly nextPage: string | null
  readonly firstPage: string | null
  readonly problem: string | null
}> = ({ session, endpoints, filters, deliveries, nextPage, firstPage, problem }) => (
  <PortalFrame
    title="Delivery log"
    session={session}
    place="deliveries"
    crumbs={[...developerCrumbs, { label: 'Delivery log' }]}
    lead="Every event on its way to every URL, newest first."
    notice={problem === null ? null : { tone: 'bad', text: problem }}
  >
    <form method="get" action="/portal/deliveries" class="filters">
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
      <div class="field">
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
      <div class="actions">
        <button type="submit">Filter</button>
        {Object.values(filters).some((value) => value !== undefined) ? <a href="/portal/deliveries">Clear</a> : null}
      </div>
    </form>
    {deliveries.length === 0 ? (
      <div class="empty">
        <h2>Nothing here</h2>
        <p>No delivery fits. A test event from the list of webhooks makes one.</p>
        <a class="button" href="/portal/webhooks">
          Webhooks
        </a>
      </div>
    ) : (
      <div class="scroll" role="region" aria-label="Deliveries" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Event</th>
              <th scope="col">URL</th>
              <th scope="col">Attempts</th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <tr>
                <td>
                  <DeliveryStateMark state={delivery.state} />
                </td>
                <th scope="row">
                  <a href={`/portal/deliveries/${delivery.deliveryId}`}>
                    <code>{delivery.eventType}</code>
                  </a>{' '}
                  <Kind delivery={delivery} />
                </th>
                <td class="url">{delivery.url}</td>
                <td>{delivery.attemptsMade} of 5</td>
                <td>
                  <Instant at={delivery.createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
  </PortalFrame>
)

/** What sets a delivery apart from an ordinary one. */
const Kind: FC<{ readonly delivery: DeliveryRecord }> = ({ delivery }) => (
  <>
    {delivery.test ? <span class="tag">test</span> : null}{' '}
    {delivery.resendOf === null ? null : <span class="tag">resend</span>}
  </>
)

type FoundDelivery = NonNullable<Awaited<ReturnType<WebhookStore['findDelivery']>>>

export const DeliveryPage: FC<{
  readonly session: Session
  readonly delivery: FoundDelivery
  readonly now: Date
}> = ({ session, delivery, now }) => {
  const pending = delivery.state === 'PENDING'
  const erased = delivery.body.byteLength === 0
  return (
    <PortalFrame
      title={delivery.eventType}
      session={session}
      place="deliveries"
      crumbs={[...developerCrumbs, { label: 'Delivery log', href: '/portal/deliveries' }, { label: 'Delivery' }]}
      lead={
        <>
          To <span class="url">{delivery.url}</span> <Kind delivery={delivery} />
        </>
      }
      actions={
        pending || erased ? undefined : (
          <form method="post" action={`/portal/deliveries/${delivery.deliveryId}/resend`}>
            <CsrfField session={session} />
            <button type="submit">Send again</button>
          </form>
        )
      }
    >
      <div data-live data-refresh={pending ? '' : undefined}>
        <section aria-label="State">
          <dl class="facts">
            <Fact name="State">
              <DeliveryStateMark state={delivery.state} />
              {delivery.cancelReason === null ? null : (
                <span class="hint">
                  {' '}
                  <code>{delivery.cancelReason}</code>
                </span>
              )}
            </Fact>
            <Fact name="Attempts">{delivery.attemptsMade} of 5</Fact>
            <Fact name="Created">
              <Instant at={delivery.createdAt} />
            </Fact>
            {delivery.nextAttemptAt === null ? null : (
              <Fact name="Next attempt">
                {delivery.nextAttemptAt > now
                  ? `in ${durationText(delivery.nextAttemptAt.getTime() - now.getTime())}`
                  : 'due now'}
              </Fact>
            )}
            {delivery.endedAt === null ? null : (
              <Fact name="Ended">
                <Instant at={delivery.endedAt} />
              </Fact>
            )}
            <Fact name="X-Event-ID">
              <code>{delivery.xEventId}</code>
            </Fact>
            {delivery.resendOf === null ? null : (
              <Fact name="Sent again from">
                <a href={`/portal/deliveries/${delivery.resendOf}`}>
                  <code>{delivery.resendOf}</code>
                </a>
              </Fact>
            )}
          </dl>
        </section>
        <section aria-labelledby="attempts">
          <h2 id="attempts">Attempts</h2>
          {delivery.attempts.length === 0 ? (
            <p>None yet. This page looks again by itself; without JavaScript, reload it.</p>
          ) : (
            <ol class="timeline">
              {delivery.attempts.map((attempt) => (
                <Attempt attempt={attempt} url={delivery.url} />
              ))}
            </ol>
          )}
        </section>
      </div>
      {erased ? (
        <section aria-labelledby="body">
          <h2 id="body">Body</h2>
          <p>The body was erased with the user’s data. It cannot be shown or sent again.</p>
        </section>
      ) : (
        <>
          <section aria-labelledby="body">
            <h2 id="body">Body</h2>
            <CopyBlock
              id="delivery-body"
              label={`Body, ${delivery.body.byteLength} bytes`}
              text={new TextDecoder().decode(delivery.body)}
            />
            <p class="hint">{delivery.body.byteLength} bytes, exactly as signed and sent.</p>
          </section>
          <section aria-labelledby="curl">
            <h2 id="curl">Send it from your own machine</h2>
            <CopyBlock id="delivery-curl" label="Shell command" text={reproducibleCurl(delivery)} />
            <p class="hint">
              The same bytes with a valid signature. Put your API key into <code>KYC_RELAY_API_KEY</code> first; it is
              not in the command.
            </p>
          </section>
        </>
      )}
    </PortalFrame>
  )
}

const Attempt: FC<{ readonly attempt: AttemptRecord; readonly url: string }> = ({ attempt, url }) => {
  const [tone, word] = attemptTones[attempt.state]
  const { report } = attempt
  const explanation = report === null ? null : explainAttempt(report, url)
  return (
    <li>
      <span class={`dot state ${tone}`}>
        <Shape tone={tone} />
      </span>
      <div class="head">
        <h3>Attempt {attempt.number}</h3>
        <span class={`state ${tone}`}>{word}</span>
        {report?.status == null ? null : <span>HTTP {report.status}</span>}
        <Instant at={attempt.startedAt} />
      </div>
      {explanation === null ? null : (
        <div>
          <p>{explanation.cause}</p>
          {attempt.state === 'SUCCEEDED' ? null : (
            <p>
              <strong>Next step:</strong> {explanation.nextStep}
            </p>
          )}
          {explanation.registerUrl === null ? null : (
            <p>
              It points to <span class="url">{explanation.registerUrl}</span>
            </p>
          )}
        </div>
      )}
      {report === null ? null : (
        <>
          <div class="timings">
            {timings(report.timings).map(([name, ms]) => (
              <span>
                {name} {ms} ms
              </span>
            ))}
            {report.address === null ? null : (
              <span>
                address <code>{report.address}</code>
              </span>
            )}
            {report.keyVersion === null ? null : <span>signed with key {report.keyVersion}</span>}
          </div>
          {report.status === null ? null : (
            <details>
              <summary>Answer</summary>
              <pre tabindex={0} aria-label={`Answer to attempt ${attempt.number}`}>
                <code>{answerText(report)}</code>
              </pre>
            </details>
          )}
        </>
      )}
    </li>
  )
}

type Report = NonNullable<AttemptRecord['report']>

/** How long each stage took; the report counts from the beginning of the attempt. */
function timings(at: Report['timings']): [string, number][] {
  const stages: [string, number | null][] = [
    ['DNS', at.dnsMs],
    ['connect', at.connectMs],
    ['TLS', at.tlsMs],
    ['first byte', at.firstByteMs],
  ]
  const taken: [string, number][] = []
  let previous = 0
  for (const [name, ms] of stages) {
    if (ms === null) continue
    taken.push([name, Math.round((ms - previous) * 10) / 10])
    previous = ms
  }
  if (at.totalMs !== null) taken.push(['in all', at.totalMs])
  return taken
}

function answerText({ status, responseHeaders, responseBody }: Report): string {
  const head = [`HTTP/1.1 ${status}`, ...Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}`)]
  const body = responseBody === null ? '' : new TextDecoder().decode(responseBody)
  return visibleText(`${head.join('\n')}\n\n${body}`)
}
