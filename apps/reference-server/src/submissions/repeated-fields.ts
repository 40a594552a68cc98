import { Kind, visit, type DocumentNode } from 'graphql'

/** Most fields of a document with the same response name, which is the alias or the name. */
const maxRepeatedFields = 200

/**
 * Checks for too many fields with the same response name. Validation compares each of them with each other one: 7 KB of
 * document took more than 100 ms.
 */
export function repeatsFields(document: DocumentNode): boolean {
  const counts = new Map<string, number>()
  let most = 0
  visit(document, {
    [Kind.FIELD]({ alias, name }) {
      const responseName = (alias ?? name).value
      const count = (counts.get(responseName) ?? 0) + 1
      counts.set(responseName, count)
      most = Math.max(most, count)
    },
  })
  return most > maxRepeatedFields
}
