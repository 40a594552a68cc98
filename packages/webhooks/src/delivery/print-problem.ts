const quietMs = 60_000

/**
 * Creates the default of `onProblem`: prints each code with its cause, then nothing more of this code for a minute.
 *
 * @param part The part that reports, for example `delivery worker`
 */
export function createProblemPrinter(
  part: string,
  monotonicMs: () => number,
): (problem: string, error: unknown) => void {
  const printedAtMs = new Map<string, number>()
  return (problem, error) => {
    const nowMs = monotonicMs()
    if (nowMs - (printedAtMs.get(problem) ?? -Infinity) < quietMs) return
    printedAtMs.set(problem, nowMs)
    // eslint-disable-next-line no-console -- a host that gave no onProblem must not fail silently
    console.error(`kyc-relay ${part}: ${problem}`, ...(error === undefined ? [] : [error]))
  }
}
