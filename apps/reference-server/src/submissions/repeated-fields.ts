import { visit, type DocumentNode } from 'graphql'

/** Pairs among 200 fields with the same response name, which is the alias or the name. */
const maxPairs = (200 * 199) / 2
/** A pair of fields with selections costs ten times as much, because validation also compares the selections. */
const weightOfSelections = 10

/**
 * Checks for too many fields with the same response name, or too many fragment spreads. Validation compares each of
 * them with each other one: 7 KB of document took more than 100 ms.
 */
export function repeatsFields(document: DocumentNode): boolean {
  const counts = new Map<string, number>()
  let pairs = 0
  const add = (name: string, weight: number): void => {
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    pairs += before * weight
  }
  visit(document, {
    Field: ({ alias, name, selectionSet }) =>
      add((alias ?? name).value, selectionSet === undefined ? 1 : weightOfSelections),
    FragmentSpread: () => add('...', 1),
  })
  return pairs > maxPairs
}
