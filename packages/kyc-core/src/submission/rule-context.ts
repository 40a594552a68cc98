import type { JsonObject, JsonValue } from './json-value.js'
import type { SubmissionPolicy } from './submission-policy.js'
import { createViolation, type Violation, type ViolationCode } from './violation.js'
import { createWarning, type Warning, type WarningCode } from './warning.js'

/** Form of the PII: clear values, or tokens of the vault. */
export type PiiForm = 'clear' | 'tokens'

/**
 * Input and output of rules across fields. Rules run even when other fields are invalid, so one response reports all
 * violations.
 */
export interface RuleContext {
  readonly policy: SubmissionPolicy
  readonly nowMs: number
  readonly pii: PiiForm
  /** Checks whether the photo fetcher would request a URL. */
  readonly isPhotoUrlAllowed: (url: string) => boolean
  /** True when the decision is FAILED. Implausible data may be the reason of the decision, so it gives a warning. */
  readonly isFailed: boolean
  /** Returns the text at a pointer of known fields; undefined when it is not a text or has a violation. */
  text(pointer: string): string | undefined
  number(pointer: string): number | undefined
  array(pointer: string): readonly JsonValue[]
  /** Checks for any value at the pointer, valid or not. */
  isPresent(pointer: string): boolean
  isObject(pointer: string): boolean
  /** Adds a violation. `allowed`: the values of a closed list. */
  refuse(pointer: string, code: ViolationCode, allowed?: readonly string[]): void
  warn(pointer: string, code: WarningCode): void
  /** Adds a violation, or a warning when the decision is FAILED and the policy is lenient then. */
  refuseUnlessLenient(pointer: string, code: ViolationCode): void
  /** Adds a warning when the decision is FAILED, else a violation. */
  refuseUnlessFailed(pointer: string, code: ViolationCode, warning: WarningCode): void
}

/** Findings so far. Each pointer has one violation: the first one, which is the most specific. */
export interface Findings {
  readonly violations: Map<string, Violation>
  readonly warnings: Warning[]
}

/** Cache of parsed pointers: the rules use the same 50 or so pointers for each submission. */
const keysOf = new Map<string, readonly string[]>()

function valueAt(root: JsonValue | undefined, pointer: string): JsonValue | undefined {
  let keys = keysOf.get(pointer)
  if (keys === undefined) {
    keys = pointer.split('/').slice(1)
    keysOf.set(pointer, keys)
  }
  let value = root
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/** Creates the rule context of one submission. The rules add to `findings`. */
export function createRuleContext(
  root: JsonValue | undefined,
  findings: Findings,
  { policy, nowMs, pii, isPhotoUrlAllowed }: Pick<RuleContext, 'policy' | 'nowMs' | 'pii' | 'isPhotoUrlAllowed'>,
): RuleContext {
  const clean = (pointer: string): JsonValue | undefined =>
    findings.violations.has(pointer) ? undefined : valueAt(root, pointer)
  const isFailed = valueAt(root, '/decision') === 'FAILED'

  function refuse(pointer: string, code: ViolationCode, allowed?: readonly string[]): void {
    if (!findings.violations.has(pointer)) findings.violations.set(pointer, createViolation(pointer, code, allowed))
  }
  function warn(pointer: string, code: WarningCode): void {
    findings.warnings.push(createWarning(pointer, code))
  }

  return {
    policy,
    nowMs,
    pii,
    isPhotoUrlAllowed,
    isFailed,
    text(pointer) {
      const value = clean(pointer)
      return typeof value === 'string' ? value : undefined
    },
    number(pointer) {
      const value = clean(pointer)
      return typeof value === 'number' ? value : undefined
    },
    array(pointer) {
      const value = valueAt(root, pointer)
      return Array.isArray(value) ? (value as readonly JsonValue[]) : []
    },
    isPresent: (pointer) => valueAt(root, pointer) !== undefined,
    isObject(pointer) {
      const value = valueAt(root, pointer)
      return typeof value === 'object' && !Array.isArray(value)
    },
    refuse,
    warn,
    refuseUnlessLenient(pointer, code) {
      if (!isFailed || !policy.lenientOnFailed) return refuse(pointer, code)
      const isKnown = findings.warnings.some((each) => each.pointer === pointer && each.code === 'ACCEPTED_ON_FAILED')
      if (!isKnown && !findings.violations.has(pointer)) warn(pointer, 'ACCEPTED_ON_FAILED')
    },
    refuseUnlessFailed(pointer, code, warning) {
      if (isFailed) warn(pointer, warning)
      else refuse(pointer, code)
    },
  }
}
