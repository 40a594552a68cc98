/** Parses a column; undefined for text that is not JSON, as SQL may have left it. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** A text as it is. Anything else is its JSON, which no entry has at this place. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)))

/** Reads a list of texts. Anything else is one text, so that its row differs from every entry. */
export function listOf(json: string): string[] {
  const list = parsed(json)
  return Array.isArray(list) ? list.map(textOf) : [json]
}

/** Reads these members of each object in a list. Anything else is one object, so that its row differs from every entry. */
export function membersOf<Name extends string>(json: string, names: readonly Name[]): Record<Name, string>[] {
  const list = parsed(json)
  const items: unknown[] = Array.isArray(list) ? list : [json]
  return items.map((item) => {
    const members = Object(item) as Partial<Record<Name, unknown>>
    return Object.fromEntries(names.map((name) => [name, textOf(members[name])])) as Record<Name, string>
  })
}
