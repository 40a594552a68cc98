import type { Decision, KycStatus, Token } from '@kyc-relay/kyc-core'
import type { IngestionResult } from '@kyc-relay/kyc-core/internal'
import { storedMac, type StoredParts } from './erasable-parts.js'
import type { RecordedVerification } from './recorded-content.js'
import { listOf, membersOf } from './stored-json.js'

/** Row of a verification as both engines select it. */
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
  /** Lists as JSON. */
  readonly sections: string
  readonly checks: string
  readonly declineCodes: string
  readonly sealedDetails: Uint8Array
  readonly previousStatus: KycStatus
  readonly nextStatus: KycStatus
  readonly statusAt: Date
}

/** Builds the recorded content of a verification from its current row. */
export function readStoredVerification(row: StoredVerification): RecordedVerification & { readonly erased: boolean } {
  const { verificationId, appId, userId, externalVerificationId, ssnState, documentNumberToken } = row
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
      sections: membersOf(row.sections, ['section', 'verificationId', 'status']),
      checks: membersOf(row.checks, ['section', 'name', 'status']),
      declineCodes: listOf(row.declineCodes),
      sealedDetails: row.sealedDetails,
    },
    erasableMac: mac,
    erased,
    recordedAt: row.recordedAt,
    result: { status: row.resultStatus, verificationId, message: row.resultMessage },
    statusLog: { previous: row.previousStatus, next: row.nextStatus, at: row.statusAt },
  }
}
