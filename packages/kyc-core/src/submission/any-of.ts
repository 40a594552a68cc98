/**
 * Joins patterns to one test: whether a text matches any of them. One expression runs ten times as fast as ninety. Patterns
 * with the same flags are joined. They must not refer back to their groups, whose numbers change.
 */
export function anyOf(patterns: readonly RegExp[]): (text: string) => boolean {
  const joined = [...new Set(patterns.map(({ flags }) => flags))].map((flags) => {
    const alike = patterns.filter((pattern) => pattern.flags === flags)
    return new RegExp(alike.map(({ source }) => `(?:${source})`).join('|'), flags)
  })
  return (text) => joined.some((pattern) => pattern.test(text))
}
