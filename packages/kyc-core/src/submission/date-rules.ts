import { parseDateTime, utcDay, yearsBefore } from './calendar-date.js'
import type { RuleContext } from './rule-context.js'

const CLOCK_SKEW_MS = 5 * 60_000
const DAY_MS = 86_400_000
/** Time zones where a day starts first and last: a date without a time zone may be the day in either. */
const EASTERNMOST_OFFSET_MS = 14 * 3_600_000
const WESTERNMOST_OFFSET_MS = -12 * 3_600_000
const MAX_AGE_YEARS = 130

/**
 * Checks the dates of a submission against each other and against the current time. Calendar days compare as text.
 *
 * @returns Time of the decision in milliseconds since 1970, UTC: `decisionedAt`, or the current time.
 */
export function checkDates(context: RuleContext): number {
  const decisionedMs = checkDecisionedAt(context)
  checkDateOfBirth(context)
  checkDocumentDates(context, decisionedMs)
  return decisionedMs
}

function checkDecisionedAt({ text, nowMs, policy, refuse, refuseUnlessFailed, warn }: RuleContext): number {
  const pointer = '/decisionedAt'
  const decisionedAt = text(pointer)
  const parsed = decisionedAt === undefined ? null : parseDateTime(decisionedAt)
  if (!parsed) return nowMs
  if (!parsed.hasOffset) warn(pointer, 'TIME_ZONE_ASSUMED_UTC')
  const dateOfBirth = text('/person/dateOfBirth')
  const lastDay = utcDay(parsed.epochMs + EASTERNMOST_OFFSET_MS)
  if (parsed.epochMs > nowMs + CLOCK_SKEW_MS) refuse(pointer, 'DATE_IN_FUTURE')
  else if (lastDay < yearsBefore(utcDay(nowMs), MAX_AGE_YEARS)) refuse(pointer, 'DATE_IMPLAUSIBLE')
  else if (dateOfBirth !== undefined && lastDay < dateOfBirth) {
    refuseUnlessFailed(pointer, 'INCONSISTENT_DATES', 'DATES_IMPLAUSIBLE')
  } else if (parsed.epochMs < nowMs - policy.maxDecisionAgeDays * DAY_MS) warn(pointer, 'STALE_DECISION')
  return parsed.epochMs
}

function checkDateOfBirth({ text, nowMs, refuseUnlessFailed }: RuleContext): void {
  const pointer = '/person/dateOfBirth'
  const dateOfBirth = text(pointer)
  if (dateOfBirth === undefined) return
  const today = utcDay(nowMs)
  if (dateOfBirth > today) refuseUnlessFailed(pointer, 'DATE_IN_FUTURE', 'DATES_IMPLAUSIBLE')
  else if (dateOfBirth < yearsBefore(today, MAX_AGE_YEARS)) {
    refuseUnlessFailed(pointer, 'DATE_IMPLAUSIBLE', 'DATES_IMPLAUSIBLE')
  }
}

function checkDocumentDates(
  { text, nowMs, isFailed, refuseUnlessFailed, warn }: RuleContext,
  decisionedMs: number,
): void {
  const base = '/verifications/document'
  const issueDate = text(`${base}/issueDate`)
  const expirationDate = text(`${base}/expirationDate`)
  const dateOfBirth = text('/person/dateOfBirth')
  if (issueDate !== undefined) {
    if (issueDate > utcDay(nowMs + EASTERNMOST_OFFSET_MS)) {
      refuseUnlessFailed(`${base}/issueDate`, 'DATE_IN_FUTURE', 'DATES_IMPLAUSIBLE')
    } else if (dateOfBirth !== undefined && issueDate < dateOfBirth) {
      refuseUnlessFailed(`${base}/issueDate`, 'INCONSISTENT_DATES', 'DATES_IMPLAUSIBLE')
    }
  }
  if (expirationDate === undefined) return
  if (issueDate !== undefined && expirationDate < issueDate) {
    refuseUnlessFailed(`${base}/expirationDate`, 'INCONSISTENT_DATES', 'DATES_IMPLAUSIBLE')
  } else if (!isFailed && expirationDate < utcDay(decisionedMs + WESTERNMOST_OFFSET_MS))
    warn(`${base}/expirationDate`, 'DOCUMENT_EXPIRED')
}
