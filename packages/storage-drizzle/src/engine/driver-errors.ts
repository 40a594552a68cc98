/** Finds a code that matches in an error of a driver, or in its causes: Drizzle wraps errors. */
export function codeOf(error: unknown, pattern: RegExp): string | null {
  if (typeof error !== 'object' || error === null) return null
  if ('code' in error && typeof error.code === 'string' && pattern.test(error.code)) return error.code
  return 'cause' in error ? codeOf(error.cause, pattern) : null
}

/** Errors with a common code, or none, are recognised by their text. The text itself is dropped. */
export function hasText(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && (pattern.test(error.message) || hasText(error.cause, pattern))
}
