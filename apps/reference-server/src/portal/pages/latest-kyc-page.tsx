import type { LatestVerification } from '../../storage/verification-overview.js'
import type { FC } from 'hono/jsx'
import type { Session } from '../sessions.js'
import { DecisionMark } from './status-badges.js'
import { Instant } from './components.js'
import { PortalFrame } from './portal-frame.js'
import { UserForm } from './user-form.js'
import { RecordTable } from './record-table.js'

/** Renders the newest verifications of all users, the operator's first page. */
export const LatestPage: FC<{
  readonly session: Session
  readonly latest: readonly (LatestVerification & { readonly appName: string | null })[]
  readonly next: string | null
  readonly first: boolean
}> = ({ session, latest, next, first }) => (
  <PortalFrame
    title="KYC verifications"
    session={session}
    place="kyc"
    crumbs={[{ label: 'Operator' }, { label: 'KYC verifications' }]}
    lead="Decisions, their evidence, and their effect on the KYC status. Personal data is sealed and not shown."
  >
    <UserForm userId="" problem={null} />
    {latest.length === 0 ? (
      <div class="empty">
        <h2>Nothing here</h2>
        <p>No verifications {first ? 'yet' : 'before that'}.</p>
      </div>
    ) : (
      <RecordTable
        label="Newest verifications"
        columns={[
          { label: 'Recorded', heads: true },
          { label: 'Decision' },
          { label: 'Result' },
          { label: 'Application' },
          { label: 'User' },
        ]}
        rows={latest.map((row) => [
          <a href={`/portal/kyc/${row.appId}/${row.userId}/${row.verificationId}`}>
            <Instant at={row.recordedAt} />
          </a>,
          <DecisionMark decision={row.decision} />,
          <code>{row.resultStatus}</code>,
          row.appName ?? 'gone',
          <a href={`/portal/kyc?user=${row.userId}`}>
            <code>{row.userId}</code>
          </a>,
        ])}
      />
    )}
    {next === null && first ? null : (
      <nav class="actions" aria-label="Pages">
        {first ? null : <a href="/portal/kyc">Newest</a>}
        {next === null ? null : (
          <a href={`/portal/kyc?before=${next}`} rel="next">
            Older verifications
          </a>
        )}
      </nav>
    )}
  </PortalFrame>
)
