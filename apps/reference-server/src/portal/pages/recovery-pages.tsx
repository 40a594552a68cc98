import type { Endpoint, RecoveryStore } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { RecoveryTotals } from '../../events/recovery-counter.js'
import type { Session } from '../sessions.js'
import { describedBy, Fact, FieldProblem, State } from './components.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'

const webhooksCrumb = { label: 'Webhooks', href: '/portal/webhooks' }
type Recovery = NonNullable<Awaited<ReturnType<RecoveryStore['findRecovery']>>>

/** What is wrong with the form of a recovery, and with which field. */
export interface RecoveryProblem {
  readonly field: 'from' | 'until' | null
  readonly text: string
}

/** Renders the events that are not sent, by reason. */
const Skipped: FC<{ readonly skipped: RecoveryTotals['skipped'] }> = ({ skipped }) => (
  <>
    <Fact name="Acknowledged before">{skipped.acknowledged}</Fact>
    <Fact name="Pending">{skipped.pending}</Fact>
    <Fact name="Without the scope">{skipped.scope}</Fact>
    <Fact name="Erased">{skipped.erased}</Fact>
  </>
)

/** Renders the form of a recovery, with the count once it was asked for. */
export const RecoverFormPage: FC<{
  readonly session: Session
  readonly endpoint: Endpoint
  readonly form: { readonly from: string; readonly until: string }
  readonly count: RecoveryTotals | null
  readonly problem: RecoveryProblem | null
}> = ({ session, endpoint, form, count, problem }) => {
  const problemOf = (field: 'from' | 'until') => (problem?.field === field ? problem.text : null)
  const action = `/portal/webhooks/${endpoint.endpointId}/recover`
  const { acknowledged = 0, pending = 0, scope = 0, erased = 0 } = count?.skipped ?? {}
  return (
    <PortalFrame
      title="Recover missed events"
      session={session}
      place="webhooks"
      crumbs={[...developerCrumbs, webhooksCrumb, { label: 'Recover' }]}
      lead={
        <>
          Delivers to <span class="url">{endpoint.url}</span> what it has not acknowledged: failed events, cancelled
          ones, and those of a time without a URL. The <code>X-Event-ID</code> stays the same.
        </>
      }
      notice={problem?.field === null ? { tone: 'bad', text: problem.text } : null}
    >
      <form method="post" action={action}>
        <CsrfField session={session} />
        <div class="field">
          <label for="from">From (UTC)</label>
          <input
            id="from"
            name="from"
            type="datetime-local"
            value={form.from}
            required
            {...describedBy('from', problemOf('from'))}
          />
          <FieldProblem field="from" problem={problemOf('from')} />
        </div>
        <div class="field">
          <label for="until">Before (UTC), or empty for now</label>
          <input
            id="until"
            name="until"
            type="datetime-local"
            value={form.until}
            {...describedBy('until', problemOf('until'))}
          />
          <FieldProblem field="until" problem={problemOf('until')} />
        </div>
        <div class="actions">
          <button type="submit" class={count === null ? 'primary' : undefined}>
            Count
          </button>
          <a href="/portal/webhooks">Back</a>
        </div>
      </form>
      {count === null ? null : (
        <section aria-labelledby="count">
          <h2 id="count">{count.matched - acknowledged - pending - scope - erased} events to be delivered</h2>
          <dl class="facts">
            <Skipped skipped={count.skipped} />
          </dl>
          <form method="post" action={action}>
            <CsrfField session={session} />
            <input type="hidden" name="from" value={form.from} />
            <input type="hidden" name="until" value={form.until} />
            <button type="submit" class="primary" name="start" value="yes">
              Start the recovery
            </button>
          </form>
        </section>
      )}
    </PortalFrame>
  )
}

const states = {
  RUNNING: <State tone="warn">Running</State>,
  DONE: <State tone="good">Done</State>,
  STOPPED: <State tone="quiet">Stopped</State>,
}

export const RecoveryPage: FC<{
  readonly session: Session
  readonly endpointId: string
  readonly recovery: Recovery
}> = ({ session, endpointId, recovery }) => {
  const running = recovery.state === 'RUNNING'
  return (
    <PortalFrame
      title="Recovery"
      session={session}
      place="webhooks"
      crumbs={[...developerCrumbs, webhooksCrumb, { label: 'Recovery' }]}
      lead="Its deliveries come after those of new events. Each has five attempts."
    >
      <div data-live data-refresh={running ? '' : undefined}>
        <dl class="facts">
          <Fact name="State">{states[recovery.state]}</Fact>
          <Fact name="Events looked at">{recovery.matched}</Fact>
          <Fact name="Deliveries made">{recovery.created}</Fact>
          <Skipped skipped={recovery.skipped} />
        </dl>
        <div class="actions">
          {running ? (
            <form method="post" action={`/portal/webhooks/${endpointId}/recoveries/${recovery.recoveryId}/stop`}>
              <CsrfField session={session} />
              <button type="submit">Stop</button>
            </form>
          ) : null}
          <a href={`/portal/deliveries?endpointId=${endpointId}`}>Deliveries</a>
        </div>
      </div>
    </PortalFrame>
  )
}
