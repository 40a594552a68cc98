const FULL_DATE = /^(\d{4})-(\d{2})-(\d{2})$/
/**
 * Offset without or with colons, or UTC after a space as PHP, Ruby, Rust, BigQuery and Snowflake print it. Python prints
 * the name of the zone before the offset: `EST-0500`. Seconds of an offset are those of local mean times, before time zones.
 */
const OFFSET = String.raw`[Zz]| (?:Z|UTC|GMT)|(?: (?:[A-Z]{2,5})?)?[+\-−]\d{2}(?::?\d{2}(?::?\d{2}(?:\.\d{1,6})?)?)?`
/** Names of the zone after an offset: of RFC 9557, as Java and Temporal print them, and of Go and Elixir. */
const ZONE_NAMES = String.raw`(?:\[!?[\w+\-/=.:]{1,64}\]){0,4}|(?: [A-Za-z+-][\w+\-/:]{0,63}){0,2}(?: m=[+-]\d{1,20}\.\d{1,20})?`
const ZONE = String.raw`(?:(${OFFSET})(?:${ZONE_NAMES}))?$`
/** ISO 8601, extended format. RFC 3339 allows a space for the `T`. Rust's `time` prints the hour `9` behind it. */
const EXTENDED = new RegExp(
  String.raw`^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](?=\d\d)| (?=\d:))(\d{1,2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?${ZONE}`,
)
/** ISO 8601, basic format. */
const BASIC = new RegExp(String.raw`^(\d{4})(\d{2})(\d{2})[Tt ](\d{2})(?:(\d{2})(?:(\d{2})(?:[.,](\d+))?)?)?${ZONE}`)

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
 * Parses a date-time of RFC 3339 or ISO 8601, in extended or basic format. Minutes, seconds and offset may be absent; a
 * time without offset is read as UTC. Second 60 is the first second of the next minute. Returns null for other text,
 * days that do not exist and hours above 23.
 *
 * @example
 * ```ts
 * import { parseDateTime } from '@kyc-relay/kyc-core/internal'
 *
 * console.log(parseDateTime('2026-05-31T12:00+05')?.epochMs) // 1780210800000
 * ```
 */
export function parseDateTime(text: string): ParsedDateTime | null {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text)
  if (!match) return null
  const part = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day] = [part(1), part(2), part(3)]
  const [hour, minute, second] = [part(4), part(5), part(6)]
  if (!isCalendarDay(year, month, day) || hour > 23 || minute > 59 || second > 60) return null
  const offset = match[8]
  const offsetMs = offset === undefined ? 0 : parseOffset(offset)
  if (offsetMs === null) return null
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  // Date.UTC reads years below 100 as 19xx, so the year is set separately.
  const instant = new Date(0)
  instant.setUTCFullYear(year, month - 1, day)
  instant.setUTCHours(hour, minute, second, milliseconds)
  return { epochMs: instant.getTime() - offsetMs, hasOffset: offset !== undefined }
}

/** Reads an offset in milliseconds east of UTC; null beyond ±23:59:59. `Z` has no digits and gives 0. */
function parseOffset(offset: string): number | null {
  const digits = offset.replace(/\D/g, '')
  const part = (index: number): number => Number(digits.slice(index, index + 2))
  const [hours, minutes, seconds] = [part(0), part(2), part(4)]
  if (hours > 23 || minutes > 59 || seconds > 59) return null
  const isWest = offset.includes('-') || offset.includes('−')
  return (isWest ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1000
}

/** Formats the UTC day of an instant as full-date. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10)
}

/** Subtracts years from a full-date; the result sorts with full-dates. */
export function yearsBefore(fullDate: string, years: number): string {
  return `${String(Number(fullDate.slice(0, 4)) - years).padStart(4, '0')}${fullDate.slice(4)}`
}
