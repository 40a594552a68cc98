import type { JsonValue } from '../../../src/submission/json-value.js'
import type { SubmissionPolicy } from '@kyc-relay/kyc-core'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'

/** The instant at which every case is checked. */
export const CASES_NOW = '2026-01-06T12:00:00Z'

/** What every case changes: a valid submission of an invented person with a US address. */
export const BASE = sampleSubmission() as { readonly [key: string]: JsonValue }

/** One line of the tables. */
export interface CaseRow {
  /** What is special about this submission, in words. */
  readonly what: string
  /** JSON Pointer → the value to put there; `REMOVED` takes the field away. */
  readonly change: Readonly<Record<string, JsonValue | symbol>>
  /** Switches that differ from the default policy. */
  readonly policy?: Partial<SubmissionPolicy>
  /** `pointer CODE` of every violation; none: the submission is accepted. */
  readonly refused?: readonly string[]
  /** `pointer CODE` of every warning of an accepted submission. */
  readonly warned?: readonly string[]
}

/** Takes a field away. */
export const REMOVED: symbol = Symbol('removed')

/** A headed group of lines. */
export interface CaseGroup {
  readonly heading: string
  readonly rows: readonly CaseRow[]
}

type Editable = { [key: string]: JsonValue }

/** The base with the changes of a row. */
export function applyChange(change: CaseRow['change']): Editable {
  const submission: Editable = structuredClone(BASE)
  for (const [pointer, value] of Object.entries(change)) {
    const keys = pointer.split('/').slice(1)
    const last = keys.pop() ?? ''
    let target = submission
    for (const key of keys) target = (target[key] ??= {}) as Editable
    if (typeof value === 'symbol') delete target[last]
    else if (value !== undefined) target[last] = value
  }
  return submission
}
