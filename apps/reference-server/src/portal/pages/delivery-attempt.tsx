import { explainAttempt, type AttemptRecord } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import { visibleText } from '../format.js'
import { attemptTones, Instant, Shape } from './components.js'

/** Checks whether two attempts lead to the same next step. */
export function hasSameAdvice(one: AttemptRecord, other: AttemptRecord, url: string): boolean {
  const [advice, another] = [one, other].map(({ report }) =>
    report === null ? null : explainAttempt(report, url).nextStep,
  )
  return advice !== null && advice === another
}

/** Renders one attempt on the timeline of a delivery: result, cause and next step. */
export const DeliveryAttempt: FC<{
  readonly attempt: AttemptRecord
  readonly url: string
  /** True if a later attempt has the same next step, which is then shown there alone. */
  readonly isAdviceRepeated: boolean
}> = ({ attempt, url, isAdviceRepeated }) => {
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
          {attempt.state === 'SUCCEEDED' || isAdviceRepeated ? null : (
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
            {report.address == null ? null : (
              <span>
                address <code>{report.address}</code>
              </span>
            )}
            {report.keyVersion == null ? null : <span>signed with key {report.keyVersion}</span>}
          </div>
          {report.status === null ? null : (
            <details>
              <summary>Answer</summary>
              <pre role="group" tabindex={0} aria-label={`Answer to attempt ${attempt.number}`}>
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

/** Computes the duration of each stage. The report has times since the start of the attempt. */
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
