/**
 * Creates a valid submission of an invented person: PASSED, US address, passport and SSN sections. The SSN 078-05-1120
 * is a well-known sample number.
 *
 * @param changes Top-level arguments to replace.
 *
 * @example
 * ```ts
 * import { parseSubmission } from '@kyc-relay/kyc-core'
 * import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
 *
 * parseSubmission(sampleSubmission()).ok // true
 * parseSubmission(sampleSubmission({ decision: 'PENDING' })).ok // false
 * ```
 */
export function sampleSubmission(changes: Readonly<Record<string, unknown>> = {}) {
  return {
    schemaVersion: '1.0',
    externalVerificationProvider: 'CUSTOM',
    externalVerificationId: 'attempt-0001',
    decision: 'PASSED',
    decisionReason: 'All rules of the standard flow passed.',
    decisionedAt: '2026-01-05T10:00:00Z',
    person: {
      firstName: 'Maria',
      lastName: 'Sample',
      dateOfBirth: '1985-04-12',
      ssn: '078-05-1120',
      ssnLast4: '1120',
      phoneNumber: '+12025550143',
      emailAddress: 'maria.sample@example.com',
      address: {
        streetLine1: '22 Poplar Ave',
        streetLine2: 'Apt 4',
        city: 'Springfield',
        subdivision: 'IL',
        postalCode: '62701',
        countryCode: 'US',
      },
    },
    verifications: {
      document: {
        verificationId: 'doc-0001',
        status: 'PASSED',
        documentClass: 'PASSPORT',
        documentNumber: 'X1234567',
        issuingCountryCode: 'US',
        issueDate: '2020-06-01',
        expirationDate: '2030-05-31',
        confidenceScore: 97.5,
        checks: [
          { name: 'document_authenticity', status: 'PASSED' },
          { name: 'face_match', status: 'PASSED', reasons: ['similarity above threshold'] },
          { name: 'nfc_chip', status: 'NOT_APPLICABLE' },
        ],
      },
      ssn: { verificationId: 'ssn-0001', status: 'PASSED', source: 'ECBSV' },
    },
    externalProviderData: { templateId: 'itmpl_standard', partnerReference: '740019283' },
    ...changes,
  }
}
