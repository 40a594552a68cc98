import type { Token, VerificationRecord } from '@kyc-relay/kyc-core'
import type { StoredInstant } from '../stored-instant.js'

type Section = VerificationRecord['sections'][number]

/** A verification as both engines select it. */
interface VerificationRow extends Pick<
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
}

/** Builds a record from its rows. */
export function verificationRecordOf(
  verification: VerificationRow,
  log: Pick<VerificationRecord['statusLog'], 'previous' | 'next'> & { readonly at: StoredInstant },
  parts: {
    readonly sections: readonly (Omit<Section, 'verificationId'> & { readonly providerVerificationId: string })[]
    readonly checks: VerificationRecord['checks']
    readonly declineCodes: readonly { readonly code: string }[]
  },
): VerificationRecord {
  const { verificationId, ssnToken, ssnState, documentNumberToken } = verification
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
    sections: parts.sections.map(({ section, providerVerificationId, status }) => ({
      section,
      verificationId: providerVerificationId,
      status,
    })),
    checks: parts.checks.map(({ section, name, status }) => ({ section, name, status })),
    declineCodes: parts.declineCodes.map(({ code }) => code),
    statusLog: { previous: log.previous, next: log.next, at: new Date(log.at) },
    sealedDetails: new Uint8Array(verification.sealedDetails),
  }
}
