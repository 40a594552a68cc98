import * as z from 'zod'
import { checkArgument, isObject, isTime } from '../check-argument.js'
import type { Decision } from '../status/kyc-status.js'
import { checkAddress } from './address-rules.js'
import { ARGUMENT_SCHEMAS, argumentsSchema, type Arguments } from './arguments.js'
import { isPolicy } from './check-policy.js'
import { checkCountries } from './country-rules.js'
import { checkDates } from './date-rules.js'
import { findClearPii } from './free-form-pii.js'
import { presentPointer } from './json-pointer.js'
import { FREE_FORM_FIELDS, readJson, type JsonObject } from './json-value.js'
import { checkLastName } from './name-rules.js'
import { isLenient } from './lenient-rules.js'
import { findPersonalData } from './personal-data.js'
import { createRuleContext, type Findings, type PiiForm, type RuleContext } from './rule-context.js'
import { checkSsn } from './ssn-rules.js'
import { completePolicy, type SubmissionPolicy } from './submission-policy.js'
import { checkVerifications } from './verification-rules.js'
import { createViolation, parseViolationCode, type Violation } from './violation.js'
import type { Warning } from './warning.js'

/** A valid submission. Absent fields are absent, never null. */
export interface Submission {
  readonly schemaVersion: '1.0'
  readonly externalVerificationProvider: string
  readonly externalVerificationId: string
  readonly decision: Decision
  readonly decisionReason?: string
  /** Milliseconds since 1970, UTC; the time of ingestion when it was not sent. */
  readonly decisionedAt: Date
  /** Without `address`, or with an incomplete one, only if the policy has `lenientOnFailed`. */
  readonly person: Arguments['person']
  /** With a document without `documentNumber` only if the policy has `lenientOnFailed`. */
  readonly verifications: Arguments['verifications']
  readonly externalProviderData?: JsonObject
}

/** Result of {@link parseSubmission}. */
export type ParsedSubmission =
  | { readonly ok: true; readonly submission: Submission; readonly warnings: Warning[] }
  | { readonly ok: false; readonly violations: Violation[] }

/** Options of {@link parseSubmission}. */
export interface ParseSubmissionOptions {
  /** The time of ingestion. Default: the clock of the machine. */
  readonly now?: Date
  /** Policy settings that differ from `DEFAULT_SUBMISSION_POLICY`. */
  readonly policy?: Partial<SubmissionPolicy>
  /** `tokens` expects tokens of the vault in `person.ssn` and `documentNumber`. Default `clear`. */
  readonly pii?: PiiForm
  /**
   * Checks whether the photo fetcher would request a URL; a URL that it refuses is `PHOTO_URL_INVALID`. Default: the
   * rules for every URL are enough.
   */
  readonly isPhotoUrlAllowed?: (url: string) => boolean
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key)}`).join('')
}

/** Converts an issue of zod to a violation. Uses only its path and our code, never its text. */
function violationOf(issue: z.core.$ZodIssue): Violation {
  const code = issue.code === 'unrecognized_keys' ? 'UNKNOWN_FIELD' : parseViolationCode(issue.message)
  const allowed = issue.code === 'invalid_value' && code === 'ENUM' ? issue.values.map(String) : []
  return createViolation(pointerOf(issue.path), code, allowed)
}

/** Names of all known fields of all objects. */
function fieldNames(schema: unknown): string[] {
  if (schema instanceof z.ZodOptional) return fieldNames(schema.unwrap())
  if (schema instanceof z.ZodArray) return fieldNames(schema.element)
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([name, field]) => [name, ...fieldNames(field)])
}

const FIELDS = { known: new Set(fieldNames(argumentsSchema)), open: FREE_FORM_FIELDS }

/**
 * Prepares violations for the response: no names of unknown fields, no keys with personal data, and for each pointer its
 * first violation.
 */
function presentViolations(found: readonly Violation[], clearKeys: ReadonlySet<string>): Violation[] {
  const present = new Map<string, Violation>()
  for (const violation of found) {
    const pointer = presentPointer(violation.pointer, FIELDS, clearKeys)
    if (!present.has(pointer)) present.set(pointer, { ...violation, pointer })
  }
  return [...present.values()]
}

function checkProvider({ text, refuse, policy }: RuleContext): void {
  const provider = text('/externalVerificationProvider')
  const allowed = ['CUSTOM', ...policy.providers]
  if (provider !== undefined && !allowed.includes(provider)) refuse('/externalVerificationProvider', 'ENUM', allowed)
}

/**
 * Validates the arguments of `postKycVerification` against every rule of schema version 1.0.
 *
 * Collects all violations; each value has at most one, the most specific. Never throws for JSON and never changes its
 * input. No text of the result holds a value of the input.
 *
 * @param input The arguments by name, for example the variables of the GraphQL request.
 * @throws KycError `ARGUMENT_INVALID` for an unknown or wrong option, also inside `policy`
 *
 * @example
 * ```ts
 * import { parseSubmission } from '@kyc-relay/kyc-core'
 *
 * const parsed = parseSubmission({ schemaVersion: '1.0' }, { now: new Date() })
 * if (!parsed.ok) for (const { pointer, code } of parsed.violations) process.stdout.write(`${pointer} ${code}\n`)
 * ```
 */
export function parseSubmission(input: unknown, options: ParseSubmissionOptions = {}): ParsedSubmission {
  checkOptions(options)
  const { submission, violations, warnings } = examineSubmission(input, options)
  return submission ? { ok: true, submission, warnings } : { ok: false, violations }
}

/** Misspelt, a setting would leave a rule off, or on. */
function checkOptions(options: ParseSubmissionOptions): void {
  checkArgument(isObject(options))
  const { now, policy = {}, pii = 'clear', isPhotoUrlAllowed, ...unknown } = options
  checkArgument((now === undefined || isTime(now)) && isPolicy(policy) && (pii === 'clear' || pii === 'tokens'))
  checkArgument(isPhotoUrlAllowed === undefined || typeof isPhotoUrlAllowed === 'function')
  checkArgument(Object.keys(unknown).length === 0)
}

/** Collects violations and warnings; without violations it also returns the submission. */
export function examineSubmission(
  input: unknown,
  options: ParseSubmissionOptions,
): { readonly submission: Submission | null; readonly violations: Violation[]; readonly warnings: Warning[] } {
  // eslint-disable-next-line no-restricted-syntax -- the one default clock, for callers who pass no time
  const now = options.now ?? new Date()
  const pii = options.pii ?? 'clear'
  const policy = completePolicy(options.policy)

  const read = readJson(input)
  const findings: Findings = { violations: new Map(), warnings: [] }
  const context = createRuleContext(read.value, findings, {
    policy,
    nowMs: now.getTime(),
    pii,
    isPhotoUrlAllowed: options.isPhotoUrlAllowed ?? (() => true),
  })
  const schemas = ARGUMENT_SCHEMAS[pii]
  const strict = schemas.strict.safeParse(read.value)
  const found = (strict.error?.issues ?? []).map(violationOf)
  const waived = policy.lenientOnFailed && context.isFailed ? found.filter(isLenient) : []
  const parsed = waived.length > 0 ? schemas.lenient.safeParse(read.value) : strict
  const clear = findClearPii(read.value, pii)
  const inOrderOfPrecedence = [
    ...clear.violations,
    ...read.violations,
    ...found.filter((violation) => !waived.includes(violation)),
    ...(parsed.error?.issues ?? []).map(violationOf),
  ]
  // An unknown field is the least specific violation of its object and must not hide another one.
  const unknownFields = inOrderOfPrecedence.filter(({ code }) => code === 'UNKNOWN_FIELD')
  for (const violation of inOrderOfPrecedence) {
    if (violation.code !== 'UNKNOWN_FIELD' && !findings.violations.has(violation.pointer))
      findings.violations.set(violation.pointer, violation)
  }

  for (const { pointer, code } of waived) context.refuseUnlessLenient(pointer, code)
  checkProvider(context)
  checkLastName(context)
  checkSsn(context)
  checkCountries(context)
  checkAddress(context)
  const decisionedMs = checkDates(context)
  checkVerifications(context)
  for (const { pointer, code } of findPersonalData(read.value)) {
    context.warn(presentPointer(pointer, FIELDS, clear.clearKeys), code)
  }

  const violations = presentViolations([...findings.violations.values(), ...unknownFields], clear.clearKeys)
  const { warnings } = findings
  if (!parsed.success || violations.length > 0) return { submission: null, violations, warnings }
  return { submission: { ...parsed.data, decisionedAt: new Date(decisionedMs) }, violations, warnings }
}
