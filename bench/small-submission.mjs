/** A submission of an invented person, as small as the rules allow, for measurements of the whole server. */
export const query = `mutation Submit($schemaVersion: String!, $externalVerificationProvider: String!, $externalVerificationId: String!,
  $decision: String!, $person: JSON!, $verifications: JSON!) {
  postKycVerification(schemaVersion: $schemaVersion, externalVerificationProvider: $externalVerificationProvider,
    externalVerificationId: $externalVerificationId, decision: $decision, person: $person,
    verifications: $verifications) { status verificationId message }
}`

/** Its variables under an id of the caller's. */
export function variablesOf(externalVerificationId) {
  return {
    schemaVersion: '1.0',
    externalVerificationProvider: 'CUSTOM',
    externalVerificationId,
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
  }
}
