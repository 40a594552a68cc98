/** Interval of two lines of a warning, in milliseconds. */
const everyMs = 10_000

/**
 * Limits a warning to one line every 10 s: one line for each event would flood the log.
 *
 * @param write Writes a line: at once about the first event, then about the number of those since the last line.
 * @returns What notes an event.
 */
export function createRateLimitedWarning<Event = void>(
  write: (count: number, first: Event | null) => void,
): (event: Event) => void {
  let count = 0
  let isQuiet = false
  function writeMore() {
    isQuiet = count > 0
    if (!isQuiet) return
    write(count, null)
    count = 0
    setTimeout(writeMore, everyMs).unref()
  }
  return (event) => {
    if (isQuiet) return void (count += 1)
    isQuiet = true
    write(1, event)
    setTimeout(writeMore, everyMs).unref()
  }
}
