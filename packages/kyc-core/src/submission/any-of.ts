/**
 * Joins patterns to one test: whether a text matches any of them. One expression runs ten times as fast as ninety. Patterns
 * with the flag `u` read a text by characters, so they are joined by themselves.
 */
export function anyOf(patterns: readonly RegExp[]): (text: string) => boolean {
  const joined = ['', 'u'].flatMap((flags) => {
    const ofFlags = patterns.filter((pattern) => pattern.flags === flags)
    return ofFlags.length === 0 ? [] : [new RegExp(ofFlags.map(({ source }) => `(?:${source})`).join('|'), flags)]
  })
  return (text) => joined.some((pattern) => pattern.test(text))
}
