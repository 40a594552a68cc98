import { reproducibleCurl, type WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { Session } from '../sessions.js'
import { durationText } from '../format.js'
import { DeliveryAttempt, hasSameAdvice } from './delivery-attempt.js'
import { DeliveryKind } from './delivery-kind.js'
import { CopyBlock, DeliveryStateMark, Fact, Instant } from './components.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'

type FoundDelivery = NonNullable<Awaited<ReturnType<WebhookStore['findDelivery']>>>

export const DeliveryPage: FC<{
  readonly session: Session
  readonly delivery: FoundDelivery
  /** Headers of the request, as `shownHeaders` gives them without a key. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of the static headers of the endpoint. */
  readonly headerNames: readonly string[]
  /** True if the delivery waits until its endpoint is resumed. */
  readonly isPaused: boolean
  readonly now: Date
}> = ({ session, delivery, headers, headerNames, isPaused, now }) => {
  const pending = delivery.state === 'PENDING'
  const erased = delivery.body.byteLength === 0
  const body = new TextDecoder().decode(delivery.body)
  return (
    <PortalFrame
      title={delivery.eventType}
      session={session}
      place="deliveries"
      crumbs={[...developerCrumbs, { label: 'Delivery log', href: '/portal/deliveries' }, { label: 'Delivery' }]}
      lead={
        <>
          To <span class="url">{delivery.url}</span> <DeliveryKind delivery={delivery} />
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
                {isPaused
                  ? 'URL is paused'
                  : delivery.nextAttemptAt > now
                    ? `in ${durationText(delivery.nextAttemptAt.getTime() - now.getTime())}`
                    : 'due now'}
              </Fact>
            )}
            {delivery.endedAt === null ? null : (
              <Fact name="Ended">
                <Instant at={delivery.endedAt} />
              </Fact>
            )}
            <Fact name="Event">
              <a href={`/portal/deliveries?find=${delivery.eventId}`}>
                <code>{delivery.eventId}</code>
              </a>
            </Fact>
            {delivery.test ? null : (
              <Fact name="User">
                <a href={`/portal/deliveries?find=${delivery.userId}`}>
                  <code>{delivery.userId}</code>
                </a>
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
            <p>None yet. This page refreshes itself. Without JavaScript, reload it.</p>
          ) : (
            <ol class="timeline">
              {delivery.attempts.map((attempt, index) => (
                <DeliveryAttempt
                  attempt={attempt}
                  url={delivery.url}
                  isAdviceRepeated={delivery.attempts
                    .slice(index + 1)
                    .some((later) => hasSameAdvice(attempt, later, delivery.url))}
                />
              ))}
            </ol>
          )}
        </section>
      </div>
      {erased ? (
        <section aria-labelledby="body">
          <h2 id="body">Body</h2>
          <p>
            The body was removed after its retention time, or erased with the user’s data. It cannot be shown or sent
            again.
          </p>
        </section>
      ) : (
        <>
          <section aria-labelledby="body">
            <h2 id="body">Body</h2>
            <div class="beside">
              <div>
                <h3>To read</h3>
                <CopyBlock id="delivery-json" label="Body, to read" text={readableJson(body)} />
              </div>
              <div>
                <h3>As signed and sent</h3>
                <CopyBlock id="delivery-body" label={`Body, ${delivery.body.byteLength} bytes`} text={body} />
                <p class="hint">{delivery.body.byteLength} bytes, exactly.</p>
              </div>
            </div>
          </section>
          <section aria-labelledby="headers">
            <h2 id="headers">Request headers</h2>
            <CopyBlock id="delivery-headers" label="Request headers" text={headerLines(headers)} />
            <p class="hint">
              <code>$signature</code> is the HMAC-SHA-256 of the body under the key of the attempt, in hex. The command
              below makes it.
              {'webhook-signature' in headers
                ? ' The Standard Webhooks headers are signed again at each attempt. The command leaves them out.'
                : null}
            </p>
          </section>
          <section aria-labelledby="curl">
            <h2 id="curl">Send it from your own machine</h2>
            <CopyBlock id="delivery-curl" label="Shell command" text={reproducibleCurl({ ...delivery, headerNames })} />
            <p class="hint">
              The same bytes with a valid signature. Put your API key into <code>KYC_RELAY_API_KEY</code> first; it is
              not in the command.
              {headerNames.length === 0
                ? null
                : ' Put the values of your static headers into the variables of their names.'}
            </p>
          </section>
        </>
      )}
    </PortalFrame>
  )
}

const headerLines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map((header) => header.join(': '))
    .join('\n')

/** Renders the body with line breaks. It shows the same fields; numbers are as JavaScript reads them. */
function readableJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
