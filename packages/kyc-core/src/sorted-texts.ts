/** Longest list for the insertion sort. The engine's sort allocates lists, which costs more for few keys. */
const FEW_TEXTS = 32

/** Sorts a list in place, by UTF-16 code units. */
export function sortedTexts(texts: string[]): string[] {
  if (texts.length > FEW_TEXTS) return texts.sort()
  for (let index = 1; index < texts.length; index += 1) {
    const text = texts[index] as string
    let place = index
    for (; place > 0 && (texts[place - 1] as string) > text; place -= 1) texts[place] = texts[place - 1] as string
    texts[place] = text
  }
  return texts
}
