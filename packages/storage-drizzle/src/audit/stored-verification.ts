import type { Decision, KycStatus, Token } from '@kyc-relay/kyc-core'
import type { IngestionResult, RecordedCheck, SectionName } from '@kyc-relay/kyc-core/internal'
import { storedMac, type StoredParts } from './erasable-parts.js'
import type { RecordedVerification } from './recorded-content.js'

/** Row of a verification joined with its status log entry, as both engines select it. */
export interface StoredVerification extends StoredParts {
  readonly verificationId: string
  readonly appId: string
  readonly userId: string
  readonly externalVerificationId: string
  readonly externalVerificationProvider: string
  readonly schemaVersion: string
  readonly decision: Decision
  readonly decisionedAt: Date
  readonly recordedAt: Date
  readonly countryCode: string
  readonly resultStatus: IngestionResult['status']
  readonly resultMessage: string
  readonly ssnState: 'COLLECTED' | 'VALIDATED' | null
  readonly documentNumberToken: Token | null
  readonly sealedDetails: Uint8Array
  readonly previous: KycStatus | null
  readonly next: KycStatus | null
  readonly loggedAt: Date | null
}

/** Rows of a verification's details, each list in order. */
interface StoredDetails {
  readonly sections: readonly {
    readonly section: SectionName
    readonly verificationId: string
    readonly status: Decision
  }[]
  readonly checks: readonly RecordedCheck[]
  readonly declineCodes: readonly { readonly code: string }[]
}

/** Builds the recorded content of a verification from its current rows. */
export function readStoredVerification(
  row: StoredVerification,
  details: StoredDetails,
): RecordedVerification & { readonly erased: boolean } {
  const { verificationId, appId, userId, externalVerificationId, previous, next, loggedAt } = row
  const { ssnState, documentNumberToken } = row
  const { mac, erased } = storedMac(row)
  return {
    key: { appId, userId, externalVerificationId },
    verification: {
      verificationId,
      schemaVersion: row.schemaVersion,
      externalVerificationProvider: row.externalVerificationProvider,
      decision: row.decision,
      decisionedAt: row.decisionedAt,
      countryCode: row.countryCode,
      ssnState,
      documentNumber: documentNumberToken === null ? null : { token: documentNumberToken },
      sections: details.sections,
      checks: details.checks,
      declineCodes: details.declineCodes.map(({ code }) => code),
      sealedDetails: row.sealedDetails,
    },
    erasableMac: mac,
    erased,
    recordedAt: row.recordedAt,
    result: { status: row.resultStatus, verificationId, message: row.resultMessage },
    statusLog: previous === null || next === null || loggedAt === null ? null : { previous, next, at: loggedAt },
  }
}
