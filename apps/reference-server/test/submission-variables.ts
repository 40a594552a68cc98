/** The document with every argument as a variable, as a partner sends it. */
export const submissionDocument = `mutation Submit($schemaVersion: String!, $externalVerificationProvider: String!, $externalVerificationId: String!,
  $decision: String!, $decisionReason: String, $decisionedAt: String, $person: JSON!, $verifications: JSON!, $externalProviderData: JSON) {
  postKycVerification(schemaVersion: $schemaVersion, externalVerificationProvider: $externalVerificationProvider,
    externalVerificationId: $externalVerificationId, decision: $decision, decisionReason: $decisionReason,
    decisionedAt: $decisionedAt, person: $person, verifications: $verifications, externalProviderData: $externalProviderData) {
    status verificationId message
  }
}`

let attempts = 0

/** Variables of a good submission of a fake person, each time under a new id. */
export function submissionVariables(changes: Record<string, unknown> = {}): Record<string, unknown> {
  attempts += 1
  return {
    schemaVersion: '1.0',
    externalVerificationProvider: 'CUSTOM',
    externalVerificationId: `attempt-${attempts}`,
    decision: 'PASSED',
    person: {
      firstName: 'Jane',
      lastName: 'Example',
      dateOfBirth: '1990-01-31',
      ssn: '078-05-1120',
      ssnLast4: '1120',
      address: {
        streetLine1: '1 Example Street',
        city: 'Springfield',
        subdivision: 'IL',
        postalCode: '62701',
        countryCode: 'US',
      },
    },
    verifications: { ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' } },
    ...changes,
  }
}
