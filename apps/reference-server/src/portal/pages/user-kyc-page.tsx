import type { KycStatus, VerificationRecord } from '@kyc-relay/kyc-core'
import type { FC } from 'hono/jsx'
import type { Session } from '../sessions.js'
import { Codes, DecisionMark, KycStatusMark, StatusLog } from './status-badges.js'
import { Fact, Instant } from './components.js'
import { PortalFrame } from './portal-frame.js'
import { UserForm } from './user-form.js'
import { RecordTable } from './record-table.js'

/** Data of one user at one app. */
export interface KycOfApp {
  readonly appId: string
  readonly appName: string | null
  readonly verifications: readonly VerificationRecord[]
  /** Cursor of the page of older ones; null on the last page. */
  readonly nextCursor: string | null
  /** True for the page of the newest. */
  readonly isFirst: boolean
}

/** Renders the verifications of one user over all apps, without sealed data. */
export const KycPage: FC<{
  readonly session: Session
  readonly userId: string
  readonly problem: string | null
  readonly found: { readonly status: KycStatus; readonly apps: readonly KycOfApp[] } | null
}> = ({ session, userId, problem, found }) => (
  <PortalFrame
    title="KYC verifications"
    session={session}
    place="kyc"
    crumbs={[{ label: 'Operator' }, { label: 'KYC verifications' }]}
    lead="Decisions, their evidence, and their effect on the KYC status. Personal data is sealed and not shown."
  >
    <UserForm userId={userId} problem={problem} />
    {found === null ? null : (
      <>
        <section aria-label="Status">
          <dl class="facts">
            <Fact name="KYC status">
              <KycStatusMark status={found.status} />
            </Fact>
            <Fact name="Applications">{found.apps.length}</Fact>
          </dl>
        </section>
        {found.apps.length === 0 ? (
          <div class="empty">
            <h2>This user is unknown</h2>
            <p>No application has a grant, a verification or an event of this user.</p>
          </div>
        ) : (
          found.apps.map((app) => <VerificationsOfApp userId={userId} app={app} />)
        )}
      </>
    )}
  </PortalFrame>
)

const VerificationsOfApp: FC<{ readonly userId: string; readonly app: KycOfApp }> = ({ userId, app }) => (
  <section aria-labelledby={`app-${app.appId}`}>
    <h2 id={`app-${app.appId}`}>{app.appName ?? 'A removed application'}</h2>
    {app.verifications.length === 0 ? (
      <p class="hint">No verification yet.</p>
    ) : (
      <RecordTable
        label={`Verifications of ${app.appName ?? app.appId}`}
        columns={[
          { label: 'Recorded', heads: true },
          { label: 'Decision' },
          { label: 'Provider' },
          { label: 'Status log' },
          { label: 'Decline codes' },
        ]}
        rows={app.verifications.map((verification) => [
          <a href={`/portal/kyc/${app.appId}/${userId}/${verification.verificationId}`}>
            <Instant at={verification.recordedAt} />
          </a>,
          <DecisionMark decision={verification.decision} />,
          verification.externalVerificationProvider,
          <StatusLog log={verification.statusLog} />,
          <Codes codes={verification.declineCodes} />,
        ])}
      />
    )}
    {app.nextCursor === null && app.isFirst ? null : (
      <nav class="actions" aria-label={`Pages of ${app.appName ?? app.appId}`}>
        {app.isFirst ? null : <a href={`/portal/kyc?user=${userId}#app-${app.appId}`}>Newest</a>}
        {app.nextCursor === null ? null : (
          <a
            href={`/portal/kyc?user=${userId}&app=${app.appId}&cursor=${encodeURIComponent(app.nextCursor)}#app-${app.appId}`}
            rel="next"
          >
            Older verifications
          </a>
        )}
      </nav>
    )}
  </section>
)
