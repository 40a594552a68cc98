import { isNoLastName, withoutDirectionMarks } from './name.js'
import type { RuleContext } from './rule-context.js'

const LAST_NAME = '/person/lastName'

/** Checks the last name: a person with one name has a hyphen or full stop there, or none if the policy allows it. */
export function checkLastName({ text, isPresent, isObject, policy, refuse, warn }: RuleContext): void {
  // A missing `person` has its own violation.
  if (!isObject('/person')) return
  if (!isPresent(LAST_NAME)) {
    if (policy.allowAbsentLastName) warn(LAST_NAME, 'SINGLE_NAME')
    else refuse(LAST_NAME, 'REQUIRED')
  } else if (isNoLastName(withoutDirectionMarks(text(LAST_NAME) ?? ''))) warn(LAST_NAME, 'SINGLE_NAME')
}
