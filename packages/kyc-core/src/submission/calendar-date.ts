const FULL_DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:?\d{2})?$/

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

function daysInMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0)
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  return day >= 1 && day <= daysInMonth(year, month)
}

/** Checks for an RFC 3339 full-date (`YYYY-MM-DD`) that exists in the Gregorian calendar. Full-dates sort as text. */
export function isFullDate(text: string): boolean {
  const match = FULL_DATE.exec(text)
  return match !== null && isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

/** A parsed date-time. */
export interface ParsedDateTime {
  /** Milliseconds since 1970, UTC; finer fractions are cut off. */
  readonly epochMs: number
  /** False when the text had no offset; it is then read as UTC. */
  readonly hasOffset: boolean
}

/**
 * Parses an RFC 3339 date-time. The offset may be absent (read as UTC) or have no colon (ISO 8601 basic). Returns null
 * for other text, days that do not exist, hours above 23 and leap seconds (`:60`).
 */
export function parseDateTime(text: string): ParsedDateTime | null {
  const match = DATE_TIME.exec(text)
  if (!match) return null
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])]
  if (!isCalendarDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return null
  const offsetMinutes = parseOffset(match[8] ?? 'Z')
  if (offsetMinutes === null) return null
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  // Date.UTC reads years below 100 as 19xx, so the year is set separately.
  const instant = new Date(0)
  instant.setUTCFullYear(year, month - 1, day)
  instant.setUTCHours(hour, minute - offsetMinutes, second, milliseconds)
  return { epochMs: instant.getTime(), hasOffset: match[8] !== undefined }
}

/** Reads an offset in minutes east of UTC; null beyond ±23:59. `Z` has no digits and gives 0. */
function parseOffset(offset: string): number | null {
  const digits = offset.slice(1).replace(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2))
  if (hours > 23 || minutes > 59) return null
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const DAY_MS = 86_400_000
/** Cache of recent days: each submission needs today, yesterday and tomorrow, and each text takes 1 µs to make. */
const MOST_RECENT_DAYS = 16
const recentDays = new Map<number, string>()

/** Formats the UTC day of an instant as full-date. */
export function utcDay(epochMs: number): string {
  const day = Math.floor(epochMs / DAY_MS)
  const known = recentDays.get(day)
  if (known !== undefined) return known
  const text = new Date(epochMs).toISOString().slice(0, 10)
  if (recentDays.size >= MOST_RECENT_DAYS) recentDays.clear()
  recentDays.set(day, text)
  return text
}

/** Subtracts years from a full-date; the result sorts with full-dates. */
export function yearsBefore(fullDate: string, years: number): string {
  return `${String(Number(fullDate.slice(0, 4)) - years).padStart(4, '0')}${fullDate.slice(4)}`
}
