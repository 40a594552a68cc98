import { DEFAULT_SUBMISSION_POLICY, type SubmissionPolicy } from './submission-policy.js'

/** Whether each setting is known and of its type. A misspelt one would leave a rule off, or on. */
export function isPolicy(policy: unknown): boolean {
  if (typeof policy !== 'object' || policy === null) return false
  return Object.entries(policy).every(
    ([name, value]) =>
      Object.hasOwn(DEFAULT_SUBMISSION_POLICY, name) &&
      (value === undefined || hasTypeOf(DEFAULT_SUBMISSION_POLICY[name as keyof SubmissionPolicy], value)),
  )
}

function hasTypeOf(standard: SubmissionPolicy[keyof SubmissionPolicy], value: unknown): boolean {
  if (typeof standard === 'boolean') return typeof value === 'boolean'
  if (typeof standard === 'number') return Number.isInteger(value) && (value as number) >= 1
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}
