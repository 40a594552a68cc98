import { readFileSync } from 'node:fs'
import { spelledTimes } from './spellings.mjs'

const url = new URL('../../packages/kyc-core/schema/submission-cases.json', import.meta.url)
const { base, cases } = JSON.parse(readFileSync(url, 'utf8'))
export { cases }

const document = `($schemaVersion: String!, $externalVerificationProvider: String!, $externalVerificationId: String!,
  $decision: String!, $decisionReason: String, $decisionedAt: String, $person: JSON!, $verifications: JSON!,
  $externalProviderData: JSON) {
  field(schemaVersion: $schemaVersion, externalVerificationProvider: $externalVerificationProvider,
    externalVerificationId: $externalVerificationId, decision: $decision, decisionReason: $decisionReason,
    decisionedAt: $decisionedAt, person: $person, verifications: $verifications,
    externalProviderData: $externalProviderData) { selection } }`
export const submit = `mutation ${document}`
  .replace('field', 'postKycVerification')
  .replace('selection', 'status verificationId message')
export const dryRun = `query ${document}`
  .replace('field', 'validateKycVerification')
  .replace('selection', 'valid violations { pointer code message } warnings { pointer code message }')

/** Applies an RFC 6902 patch of `add`, `replace` and `remove`: all that the case table uses. */
function patched(value, patch) {
  const copy = structuredClone(value)
  for (const { op, path, value: given } of patch) {
    const keys = path
      .slice(1)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = keys.pop()
    const parent = keys.reduce((one, key) => one[key], copy)
    if (op === 'remove') Array.isArray(parent) ? parent.splice(Number(last), 1) : delete parent[last]
    else if (Array.isArray(parent) && op === 'add') parent.splice(last === '-' ? parent.length : Number(last), 0, given)
    else Object.defineProperty(parent, last, { value: given, enumerable: true, configurable: true, writable: true })
  }
  return copy
}

const database = {
  verificationId: 'database-0001',
  status: 'FAILED',
  checks: [
    { name: 'watchlist', status: 'FAILED', reasons: ['name on a list'] },
    { name: 'address_match', status: 'NOT_APPLICABLE' },
    { name: 'watchlist', status: 'FAILED' },
  ],
}
const countries = ['US', 'US', 'US', 'DE', 'PR', 'JP', 'GB']

/** The arguments of a good submission: one that passes three times in four, of a user of some country. */
export function plainSubmission(random, externalVerificationId) {
  const countryCode = random.pick(countries)
  const person = structuredClone(base.person)
  if (countryCode !== 'US') {
    delete person.address.subdivision
    person.address.postalCode = '10115'
  }
  person.address.countryCode = countryCode
  const decision = random.chance(0.75) ? 'PASSED' : 'FAILED'
  const [decisionedAt] = random.pick(spelledTimes)
  const { document, ssn } = base.verifications
  const verifications = random.pick([base.verifications, base.verifications, { document }, { ssn }, { database }])
  return { ...base, externalVerificationId, decision, decisionedAt, person, verifications }
}

/** The arguments of a row of the case table. */
export function caseArguments({ patch }, externalVerificationId) {
  const changed = patched(base, patch)
  const changesId = patch.some(({ path }) => path.startsWith('/externalVerificationId') || path === '')
  return changesId || typeof changed !== 'object' || changed === null ? changed : { ...changed, externalVerificationId }
}
