import type { KycStatus, PhotoRecord, VerificationRecord } from '@kyc-relay/kyc-core'
import type { LatestVerification } from '@kyc-relay/storage-drizzle/sqlite'
import type { FC } from 'hono/jsx'
import type { Crumb } from '../../html/document.js'
import type { Session } from '../sessions.js'
import { maskedToken } from '../words.js'
import { Fact, Instant, State } from './parts.js'
import { PhotoStates } from './photo-states.js'
import { PortalFrame } from './portal-frame.js'

/** What is known of one user at one app. */
export interface KycOfApp {
  readonly appId: string
  readonly appName: string | null
  readonly verifications: readonly VerificationRecord[]
  readonly more: boolean
}

const crumbs: readonly Crumb[] = [{ label: 'Operator' }, { label: 'KYC verifications', href: '/portal/kyc' }]

/** The newest verifications of everybody: where an operator begins. */
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
    lead="What was decided, on which evidence, and what it did to a user’s status. Personal data stays sealed."
  >
    <UserForm userId="" problem={null} />
    {latest.length === 0 ? (
      <div class="empty">
        <h2>Nothing here</h2>
        <p>No verification was recorded{first ? ' yet' : ' before that'}.</p>
      </div>
    ) : (
      <div class="scroll" role="region" aria-label="Newest verifications" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Recorded</th>
              <th scope="col">Decision</th>
              <th scope="col">Result</th>
              <th scope="col">Application</th>
              <th scope="col">User</th>
            </tr>
          </thead>
          <tbody>
            {latest.map((row) => (
              <tr>
                <th scope="row">
                  <a href={`/portal/kyc/${row.appId}/${row.userId}/${row.verificationId}`}>
                    <Instant at={row.recordedAt} />
                  </a>
                </th>
                <td>
                  <DecisionMark decision={row.decision} />
                </td>
                <td>
                  <code>{row.resultStatus}</code>
                </td>
                <td>{row.appName ?? 'gone'}</td>
                <td>
                  <a href={`/portal/kyc?user=${row.userId}`}>
                    <code>{row.userId}</code>
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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

/** Verifications of one user, over all apps. Read-only; nothing on it is sealed data. */
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
    crumbs={crumbs
      .slice(0, 1)
      .concat({ label: 'KYC verifications', href: '' })
      .map(({ label }) => ({ label }))}
    lead="What was decided, on which evidence, and what it did to a user’s status. Personal data stays sealed."
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
            <h2>Nothing is known of this user</h2>
            <p>No application has a grant, a verification or an event of this id.</p>
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
    <h2 id={`app-${app.appId}`}>{app.appName ?? 'An application that is gone'}</h2>
    {app.verifications.length === 0 ? (
      <p class="hint">No verification yet.</p>
    ) : (
      <div class="scroll" role="region" aria-label={`Verifications of ${app.appName ?? app.appId}`} tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Recorded</th>
              <th scope="col">Decision</th>
              <th scope="col">Provider</th>
              <th scope="col">Status log</th>
              <th scope="col">Decline codes</th>
            </tr>
          </thead>
          <tbody>
            {app.verifications.map((verification) => (
              <tr>
                <th scope="row">
                  <a href={`/portal/kyc/${app.appId}/${userId}/${verification.verificationId}`}>
                    <Instant at={verification.recordedAt} />
                  </a>
                </th>
                <td>
                  <DecisionMark decision={verification.decision} />
                </td>
                <td>{verification.externalVerificationProvider}</td>
                <td>
                  <StatusLog log={verification.statusLog} />
                </td>
                <td>
                  <Codes codes={verification.declineCodes} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    {app.more ? <p class="hint">There are older ones; these are the newest 50.</p> : null}
  </section>
)

/** One verification with everything that is recorded in clear. */
export const VerificationPage: FC<{
  readonly session: Session
  readonly verification: VerificationRecord
  readonly photos: readonly PhotoRecord[]
}> = ({ session, verification, photos }) => (
  <PortalFrame
    title="Verification"
    session={session}
    place="kyc"
    crumbs={[
      { label: 'Operator' },
      { label: 'KYC verifications', href: `/portal/kyc?user=${verification.userId}` },
      { label: 'Verification' },
    ]}
    lead={<code>{verification.verificationId}</code>}
  >
    <section aria-label="Facts">
      <dl class="facts wide">
        <Fact name="Decision">
          <DecisionMark decision={verification.decision} />
        </Fact>
        <Fact name="Result">
          <code>{verification.result.status}</code>
        </Fact>
        <Fact name="Status log">
          <StatusLog log={verification.statusLog} />
        </Fact>
        <Fact name="Country">{verification.countryCode}</Fact>
        <Fact name="Decided">
          <Instant at={verification.decisionedAt} />
        </Fact>
        <Fact name="Recorded">
          <Instant at={verification.recordedAt} />
        </Fact>
        <Fact name="Provider">{verification.externalVerificationProvider}</Fact>
        <Fact name="The provider’s id">
          <code>{verification.externalVerificationId}</code>
        </Fact>
        <Fact name="User">
          <code>{verification.userId}</code>
        </Fact>
        <Fact name="Application">
          <code>{verification.appId}</code>
        </Fact>
        <Fact name="SSN">
          {verification.ssn === null ? (
            'not given'
          ) : (
            <>
              <code>{maskedToken(verification.ssn.token)}</code>{' '}
              <span class="hint">
                {verification.ssn.standing === 'VALIDATED' ? 'validated against a source' : 'collected only'}
              </span>
            </>
          )}
        </Fact>
        <Fact name="Document number">
          {verification.documentNumber === null ? (
            'not given'
          ) : (
            <>
              <code>{maskedToken(verification.documentNumber.token)}</code>{' '}
              <span class="hint">kept as a hash only</span>
            </>
          )}
        </Fact>
        <Fact name="Decline codes">
          <Codes codes={verification.declineCodes} />
        </Fact>
        <Fact name="Photos">
          <PhotoStates photos={photos} />
        </Fact>
      </dl>
    </section>
    <section aria-labelledby="evidence">
      <h2 id="evidence">Evidence</h2>
      <div class="scroll" role="region" aria-label="Table of evidence" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Section</th>
              <th scope="col">Check</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {verification.sections.map((section) => (
              <>
                <tr>
                  <th scope="row">{section.section}</th>
                  <td>
                    <span class="hint">
                      the whole section, <code>{section.verificationId}</code>
                    </span>
                  </td>
                  <td>
                    <DecisionMark decision={section.status} />
                  </td>
                </tr>
                {verification.checks
                  .filter((check) => check.section === section.section)
                  .map((check) => (
                    <tr>
                      <td />
                      <td>
                        <code>{check.name}</code>
                      </td>
                      <td>
                        {check.status === 'NOT_APPLICABLE' ? (
                          <State tone="quiet">Not applicable</State>
                        ) : (
                          <DecisionMark decision={check.status} />
                        )}
                      </td>
                    </tr>
                  ))}
              </>
            ))}
          </tbody>
        </table>
      </div>
    </section>
    <p class="hint">
      Name, date of birth, address, reasons and every free-form part are sealed. Revealing a value is done through the
      internal API, where it is recorded.
    </p>
  </PortalFrame>
)

const DecisionMark: FC<{ readonly decision: 'PASSED' | 'FAILED' }> = ({ decision }) =>
  decision === 'PASSED' ? <State tone="good">Passed</State> : <State tone="bad">Failed</State>

const KycStatusMark: FC<{ readonly status: KycStatus }> = ({ status }) =>
  status === 'UNVERIFIED' ? <State tone="quiet">{status}</State> : <State tone="good">{status}</State>

const StatusLog: FC<{ readonly log: VerificationRecord['statusLog'] }> = ({ log }) =>
  log.previous === log.next ? (
    <>
      <code>{log.next}</code> kept
    </>
  ) : (
    <>
      <code>{log.previous}</code> → <code>{log.next}</code>
    </>
  )

const Codes: FC<{ readonly codes: readonly string[] }> = ({ codes }) =>
  codes.length === 0 ? (
    <>none</>
  ) : (
    <>
      {codes.map((code, index) => (
        <>
          {index === 0 ? '' : ', '}
          <code>{code}</code>
        </>
      ))}
    </>
  )

const UserForm: FC<{ readonly userId: string; readonly problem: string | null }> = ({ userId, problem }) => (
  <form method="get" action="/portal/kyc" class="filters">
    <div class="field">
      <label for="user">User id</label>
      <input
        id="user"
        name="user"
        type="text"
        class="mono"
        value={userId}
        maxlength={100}
        size={38}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem === null ? undefined : 'true'}
        aria-describedby={problem === null ? undefined : 'user-problem'}
      />
      {problem === null ? null : (
        <span class="error" id="user-problem" role="alert">
          {problem}
        </span>
      )}
    </div>
    <button type="submit">Find</button>
  </form>
)
