import type { Recording, SubmissionKey } from '../ingestion/verification-store.js'
import type { Decision } from '../status/kyc-status.js'
import { statusOutcomes } from '../status/status-outcomes.js'
import type { Token } from '../tokenization/token.js'

/** Creates a UUID from a number. It has the form of version 7, which some stores check. */
export function uuid(number: number): string {
  return `019a0000-0000-7000-8000-${String(number).padStart(12, '0')}`
}

/** Two users of one app, the first user in another app, and an unknown user. */
export const USERS = {
  maria: { appId: uuid(1), userId: uuid(11) },
  jonas: { appId: uuid(1), userId: uuid(12) },
  other: { appId: uuid(2), userId: uuid(13) },
} as const

/** Creates an SSN token of the right format from a number. */
export function ssnToken(number: number): Token {
  return `tok_ssn_${String(number).padStart(26, '0')}_1120`
}

/** Creates a document number token from a number. */
export function documentToken(number: number): Token {
  return `tok_document_number_${String(number).padStart(26, '0')}`
}

/** Creates the key of a submission of one user. */
export function keyOf(owner: { readonly appId: string; readonly userId: string }, id: string): SubmissionKey {
  return { appId: owner.appId, userId: owner.userId, externalVerificationId: id }
}

/** Creates a submission for `record`. Every field depends on `number`, so two submissions differ in every field. */
export function createRecordedSubmission(
  key: SubmissionKey,
  number: number,
  changes: { readonly decision?: Decision; readonly countryCode?: string } = {},
): Recording {
  const { decision = 'PASSED', countryCode = 'US' } = changes
  const verificationId = uuid(1000 + number)
  return {
    key,
    payloadDigest: new Uint8Array(32).fill(number % 256),
    recordedAt: new Date(Date.UTC(2026, 0, 5, 10, 0, 0, number % 1000)),
    outcomes: statusOutcomes({ decision, person: { address: { countryCode } } }, verificationId),
    verification: {
      verificationId,
      schemaVersion: '1.0',
      externalVerificationProvider: 'CUSTOM',
      decision,
      decisionedAt: new Date(Date.UTC(2026, 0, 5, 9, 59, 0, number % 1000)),
      countryCode,
      ssn: { token: ssnToken(number), state: 'VALIDATED' },
      documentNumber: { token: documentToken(number) },
      sections: [
        { section: 'document', verificationId: `doc-${number}`, status: 'PASSED' },
        { section: 'ssn', verificationId: `ssn-${number}`, status: decision },
      ],
      checks: [
        { section: 'document', name: 'face_match', status: 'FAILED' },
        { section: 'document', name: 'nfc_chip', status: 'NOT_APPLICABLE' },
        { section: 'ssn', name: 'face_match', status: 'FAILED' },
        { section: 'ssn', name: 'a_check', status: 'FAILED' },
        { section: 'ssn', name: 'face_match', status: 'PASSED' },
      ],
      declineCodes: ['face_match', 'a_check'],
      sealedDetails: new Uint8Array([0, 255, 1, number % 256]),
      photoJobs: [{ photoJobId: uuid(5000 + number), side: 'front', sealedUrl: new Uint8Array([7, 0, number % 256]) }],
    },
  }
}
