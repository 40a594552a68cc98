/** Names of other programs that resemble ours. */
const foreignNames = new Set(['SSL_CERT_FILE'])

/**
 * Finds variables that are no setting but look like one, for example after a typing error: `PORTT: did you mean PORT?`.
 * `INTERNAL_TOKEN_FILE` is one that only the script of the container reads.
 *
 * A short name may differ in one letter, a longer one in up to three. Two neighbouring letters in the wrong order count
 * once. Case is ignored, and hyphens equal underscores.
 */
export function unknownSettings(
  variables: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): readonly string[] {
  return Object.keys(variables)
    .filter((name) => !known.includes(name) && !foreignNames.has(name))
    .flatMap((name) => {
      const ofFile = name.replace(/_FILE$/, '')
      if (ofFile !== name && known.includes(ofFile)) return [`${name}: the server reads no such file. Set ${ofFile}.`]
      const meant = closest(name.toUpperCase().replaceAll('-', '_'), known)
      return meant === null ? [] : [`${name}: did you mean ${meant}?`]
    })
    .sort()
}

function closest(name: string, known: readonly string[]): string | null {
  const [first] = known
    .filter((each) => Math.abs(each.length - name.length) <= mostEdits(each))
    .map((each) => ({ each, edits: editsBetween(name, each) }))
    .filter(({ each, edits }) => edits <= mostEdits(each))
    .sort((one, other) => one.edits - other.edits)
  return first?.each ?? null
}

function mostEdits(name: string): number {
  return Math.min(3, Math.max(1, Math.floor(name.length / 4)))
}

/** Number of single-letter changes and swaps of neighbours between two texts (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  let twoBack: readonly number[] = []
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1]
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (twoBack[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    twoBack = last
    last = current
  }
  return last[other.length] ?? 0
}
