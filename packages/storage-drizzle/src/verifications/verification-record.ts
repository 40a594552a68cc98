import type { Token, VerificationRecord } from '@kyc-relay/kyc-core'
import type { StoredInstant } from '../stored-instant.js'

type Lists = Pick<VerificationRecord, 'sections' | 'checks' | 'declineCodes'>

/** Lists as JSON. */
type ListColumns = Readonly<Record<keyof Lists, string>>

/** A verification as both engines select it. */
interface VerificationRow
  extends
    ListColumns,
    Pick<
      VerificationRecord,
      | 'verificationId'
      | 'appId'
      | 'userId'
      | 'externalVerificationId'
      | 'externalVerificationProvider'
      | 'schemaVersion'
      | 'decision'
      | 'countryCode'
      | 'sealedDetails'
    > {
  readonly decisionedAt: StoredInstant
  readonly recordedAt: StoredInstant
  readonly resultStatus: VerificationRecord['result']['status']
  readonly resultMessage: string
  readonly ssnToken: string | null
  readonly ssnState: NonNullable<VerificationRecord['ssn']>['state'] | null
  readonly documentNumberToken: string | null
  readonly previousStatus: VerificationRecord['statusLog']['previous']
  readonly nextStatus: VerificationRecord['statusLog']['next']
  readonly statusAt: StoredInstant
}

/** Writes lists for their columns. An item may have members that are not for the row. */
export const listColumns = ({ sections, checks, declineCodes }: Lists): ListColumns => ({
  sections: JSON.stringify(
    sections.map(({ section, verificationId, status }) => ({ section, verificationId, status })),
  ),
  checks: JSON.stringify(checks.map(({ section, name, status }) => ({ section, name, status }))),
  declineCodes: JSON.stringify(declineCodes),
})

/** Builds a record from its row. */
export function verificationRecordOf(verification: VerificationRow): VerificationRecord {
  const { verificationId, ssnToken, ssnState, documentNumberToken, previousStatus, nextStatus } = verification
  return {
    verificationId,
    appId: verification.appId,
    userId: verification.userId,
    externalVerificationId: verification.externalVerificationId,
    externalVerificationProvider: verification.externalVerificationProvider,
    schemaVersion: verification.schemaVersion,
    decision: verification.decision,
    decisionedAt: new Date(verification.decisionedAt),
    recordedAt: new Date(verification.recordedAt),
    countryCode: verification.countryCode,
    result: { status: verification.resultStatus, verificationId, message: verification.resultMessage },
    ssn: ssnToken === null || ssnState === null ? null : { token: ssnToken as Token, state: ssnState },
    documentNumber: documentNumberToken === null ? null : { token: documentNumberToken as Token },
    sections: JSON.parse(verification.sections) as Lists['sections'],
    checks: JSON.parse(verification.checks) as Lists['checks'],
    declineCodes: JSON.parse(verification.declineCodes) as Lists['declineCodes'],
    statusLog: { previous: previousStatus, next: nextStatus, at: new Date(verification.statusAt) },
    sealedDetails: new Uint8Array(verification.sealedDetails),
  }
}
