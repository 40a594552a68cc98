const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (value: number) => String(value).padStart(2, '0')

/** Formats a date: `31 Jan 2026` in UTC. */
export function dayText(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`
}

/** Formats a time: `31 Jan 2026, 12:00:05 UTC`. */
export function instantText(at: Date): string {
  return `${dayText(at)}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} UTC`
}

/** Formats an hour: `12:00` in UTC. */
export function hourText(at: Date): string {
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`
}

/** Formats a duration: `3 min`, `1 h 48 min`, `20 s`; at least one second. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const rest = minutes % 60
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`
}

/**
 * Prepares foreign text for a page. Control characters become visible symbols, and direction overrides become U+FFFD.
 * So no text is hidden, and copied text is safe in a terminal.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if ('\t\n\r'.includes(character)) return character
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : '\ufffd'
  })
}

/** Lists the values inside a JSON value as text, each with its path, such as `address.city`. */
export function textLeaves(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (value instanceof Date) return [[path, value.toISOString()]]
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null)
    return [[path, typeof value === 'string' ? value : JSON.stringify(value)]]
  return Object.entries(value).flatMap(([name, member]) => textLeaves(member, path === '' ? name : `${path}.${name}`))
}
