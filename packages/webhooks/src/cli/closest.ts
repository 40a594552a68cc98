/** Returns the known word that a mistyped one is nearest to; null if none is near. */
export function closestTo(given: string, known: readonly string[]): string | null {
  const near = known
    .map((word) => ({ word, distance: distanceOf(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
    .sort((one, other) => one.distance - other.distance)
  return near[0]?.word ?? null
}

/** The sentence that follows an unknown word; empty if no known one is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const word = closestTo(given, known)
  return word === null ? '' : ` Did you mean ${word}?`
}

/** Number of letters to insert, remove or replace (V. Levenshtein, 1965). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (const [n, letter] of [...one.slice(0, 64)].entries()) {
    const next = [n + 1]
    for (const [m, against] of [...other].entries()) {
      const replaced = (row[m] ?? 0) + (letter === against ? 0 : 1)
      next.push(Math.min((row[m + 1] ?? 0) + 1, (next[m] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
