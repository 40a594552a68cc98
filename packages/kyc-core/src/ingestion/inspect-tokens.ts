import { createViolation, type Violation } from '../submission/violation.js'
import type { Submission } from '../submission/parse-submission.js'
import type { AppUser, PiiField, TokenInspector } from '../tokenization/pii-vault.js'

/** Oldest accepted token. Maintenance removes unreferenced tokens some time after this age. */
export const MAX_TOKEN_AGE_MS = 24 * 3_600_000

/**
 * Checks the tokens of a submission with the vault. Each token must exist for this app and user, belong to the field,
 * be at most 24 hours old, and match the last four digits in its text. All failures give the same violation.
 */
export async function inspectTokens(
  inspector: TokenInspector,
  owner: AppUser,
  submission: Submission,
  now: Date,
): Promise<Violation[]> {
  const expected: { readonly pointer: string; readonly field: PiiField; readonly token: string }[] = []
  const { person, verifications } = submission
  if (person.ssn !== undefined) expected.push({ pointer: '/person/ssn', field: 'ssn', token: person.ssn })
  const token = verifications.document?.documentNumber
  if (token !== undefined) {
    expected.push({ pointer: '/verifications/document/documentNumber', field: 'document_number', token })
  }
  if (expected.length === 0) return []
  const facts = await inspector.inspect(
    owner,
    expected.map(({ token }) => token),
  )
  const oldest = now.getTime() - MAX_TOKEN_AGE_MS
  return expected.flatMap(({ pointer, field }, index) => {
    const fact = facts[index]
    const lastFourAgrees = field !== 'ssn' || fact?.lastFour === person.ssnLast4
    const isGood = fact?.field === field && fact.createdAt.getTime() >= oldest && lastFourAgrees
    return isGood ? [] : [createViolation(pointer, 'TOKEN_INVALID')]
  })
}
