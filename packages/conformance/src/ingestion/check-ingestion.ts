import { randomUUID } from 'node:crypto'
import { BrokenRule, outcomeOf, type CaseOutcome } from '../outcome.js'
import { applyPatch } from './apply-patch.js'
import { baseSubmission, ingestionCases, type IngestionCase } from './ingestion-case.js'

/** What to check, and how. */
export interface CheckIngestionOptions {
  /** URL of the GraphQL endpoint. */
  readonly url: string
  /** Access token of a test user with `VERIFY_KYC`. */
  readonly accessToken: string
  /** Asks `validateKycVerification`, which writes nothing. Default false: `postKycVerification`. */
  readonly dryRun?: boolean
  /** Most milliseconds for an answer. Default 30,000. */
  readonly timeoutMs?: number
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

const types: readonly (readonly [name: string, type: string])[] = [
  ['schemaVersion', 'String!'],
  ['externalVerificationProvider', 'String!'],
  ['externalVerificationId', 'String!'],
  ['decision', 'String!'],
  ['decisionReason', 'String'],
  ['decisionedAt', 'String'],
  ['person', 'JSON!'],
  ['verifications', 'JSON!'],
  ['externalProviderData', 'JSON'],
]
const declared = types.map(([name, type]) => `$${name}: ${type}`).join(', ')
const passed = types.map(([name]) => `${name}: $${name}`).join(', ')
const posted = `mutation Submit(${declared}) { postKycVerification(${passed}) { status verificationId message } }`
const asked = `mutation Check(${declared}) { validateKycVerification(${passed}) { valid violations { pointer code } } }`

/**
 * Sends the submissions of {@link ingestionCases} to a GraphQL endpoint, one after another.
 *
 * Each accepted submission is recorded unless `dryRun` is set. Violations are compared where the endpoint lists them, in
 * `extensions.violations` or in the dry run. Elsewhere the verdict alone counts.
 *
 * @example
 * ```ts
 * import { checkIngestion, formatTable } from '@kyc-relay/conformance'
 *
 * const outcomes = await checkIngestion({ url: 'https://localhost:4443/api/v1/graphql', accessToken: 'a token' })
 * console.log(formatTable(outcomes))
 * ```
 */
export async function checkIngestion(options: CheckIngestionOptions): Promise<readonly CaseOutcome[]> {
  const outcomes: CaseOutcome[] = []
  for (const one of ingestionCases) outcomes.push(await outcomeOf(one, () => runCase(one, options)))
  return outcomes
}

async function runCase(one: IngestionCase, options: CheckIngestionOptions): Promise<void> {
  const base = { ...baseSubmission, externalVerificationId: `conformance-${randomUUID()}` }
  const answer = await send(applyPatch(base, one.patch), options)
  const { accepted, violations } = verdictOf(answer)
  const wanted = one.violations.map(lineOf).sort()
  if (accepted !== (wanted.length === 0)) {
    const told = violations === null || violations.length === 0 ? '' : `: ${violations.join(', ')}`
    throw new BrokenRule(accepted ? 'It was accepted.' : `It was refused${told}.`)
  }
  if (violations !== null && violations.join() !== wanted.join()) {
    throw new BrokenRule(`The violations are ${violations.join(', ')}, not ${wanted.join(', ')}.`)
  }
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[]
}

async function send(variables: Readonly<Record<string, unknown>>, options: CheckIngestionOptions): Promise<Answer> {
  const { url, accessToken, dryRun, timeoutMs = 30_000, fetch: call = fetch } = options
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
  const body = JSON.stringify({ query: dryRun ? asked : posted, variables })
  let status: number
  let text: string
  try {
    const response = await call(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
    status = response.status
    text = await response.text()
  } catch {
    throw new BrokenRule('No answer came.')
  }
  if (status === 401 || status === 403 || status === 429 || status >= 500) {
    throw new BrokenRule(`It was answered ${status}.`)
  }
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {
    // The rule below says it.
  }
  throw new BrokenRule(`It was answered ${status} without a JSON object.`)
}

/** The verdict, with the violations as lines in order; null where none are listed. */
function verdictOf({ data, errors }: Answer): { accepted: boolean; violations: readonly string[] | null } {
  const checked = data?.['validateKycVerification'] as { valid?: unknown; violations?: unknown } | null | undefined
  if (checked) return { accepted: checked.valid === true, violations: linesOf(checked.violations) }
  const accepted = data?.['postKycVerification'] != null && !errors?.length
  return { accepted, violations: accepted ? [] : linesOf(errors?.[0]?.extensions?.['violations']) }
}

type Line = { readonly pointer?: unknown; readonly code?: unknown } | null

const lineOf = (violation: Line) => `${String(violation?.pointer)} ${String(violation?.code)}`

function linesOf(violations: unknown): readonly string[] | null {
  // A request that is refused before its submission is judged lists none.
  if (!Array.isArray(violations) || violations.length === 0) return null
  return violations.map((one) => lineOf(one as Line)).sort()
}
