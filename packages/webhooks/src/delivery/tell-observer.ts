/** Calls an observer. Its error, at once or later, must not end the worker or the process. */
export function tellObserver(tell: () => unknown): void {
  try {
    const told = tell()
    if (told instanceof Promise) told.catch(() => undefined)
  } catch {
    // The observer's own log has it.
  }
}
