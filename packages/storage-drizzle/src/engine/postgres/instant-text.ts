/** As PostgreSQL writes a time in any zone. Zones of long ago have seconds. */
const written = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/

/** Parses a time of PostgreSQL. `new Date` takes the year 0031 for 2031, or for no time, and reads no seconds of a zone. */
export function parseInstant(text: string): Date {
  const [, date, time, sign, hours, minutes = '00', seconds = '00'] = written.exec(text) ?? []
  if (date === undefined) return new Date(text)
  const ms = Date.parse(`${date}T${time}${sign}${hours}:${minutes}`)
  return new Date(sign === '-' ? ms + Number(seconds) * 1_000 : ms - Number(seconds) * 1_000)
}
