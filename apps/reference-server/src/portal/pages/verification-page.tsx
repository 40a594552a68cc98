import type { PhotoRecord } from '@kyc-relay/kyc-core/internal'
import type { VerificationRecord } from '@kyc-relay/kyc-core'
import type { FC } from 'hono/jsx'
import type { Session } from '../sessions.js'
import { hasRight } from '../../operator-api/internal-caller.js'
import { Codes, DecisionMark, StatusLog } from './status-badges.js'
import { Fact, Instant, State } from './components.js'
import { PurposeForm, verificationPath } from './evidence-page.js'
import { PhotoStates } from './photo-states.js'
import { PortalFrame } from './portal-frame.js'

/** Renders one verification with all data stored in clear, and the form that opens the sealed record. */
export const VerificationPage: FC<{
  readonly session: Session
  readonly verification: VerificationRecord
  /** Name of the app; null if it was removed. */
  readonly appName: string | null
  readonly photos: readonly PhotoRecord[]
  readonly now: Date
  /** True after an attempt to open the record of an erased user. */
  readonly erased?: boolean
  /** What is wrong with the purpose that was given. */
  readonly purposeProblem?: string
}> = ({ session, verification, appName, photos, now, erased = false, purposeProblem = null }) => (
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
    notice={erased ? { tone: 'warn', text: erasedText } : null}
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
          <a href={`/portal/kyc?user=${verification.userId}`}>
            <code>{verification.userId}</code>
          </a>
        </Fact>
        <Fact name="Application">
          {appName ?? 'gone'} <code>{verification.appId}</code>
        </Fact>
        <Fact name="SSN">
          {verification.ssn === null
            ? 'erased, or not given'
            : `given; ${verification.ssn.state === 'VALIDATED' ? 'validated against a source' : 'collected only'}`}
        </Fact>
        <Fact name="Document number">
          {verification.documentNumber === null ? 'not given' : 'given; only its hash is stored'}
        </Fact>
        <Fact name="Decline codes">
          <Codes codes={verification.declineCodes} />
        </Fact>
      </dl>
    </section>
    <Evidence verification={verification} />
    <PhotoStates photos={photos} now={now} />
    {erased ? null : mayOpen(session) ? (
      <PurposeForm session={session} path={verificationPath(verification)} problem={purposeProblem} />
    ) : (
      <p class="hint">
        Name, date of birth, address, reasons and every free-form part are sealed. To open them, an operator needs the
        right <code>evidence</code>.
      </p>
    )}
  </PortalFrame>
)

const erasedText =
  'The personal data of this user was erased. This page shows what stays: decision, checks, decline codes, times and ids.'

function mayOpen({ holder }: Session): boolean {
  return holder.kind === 'operator' && hasRight(holder, 'evidence')
}

const Evidence: FC<{ readonly verification: VerificationRecord }> = ({ verification }) => (
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
)
