/** Creates colours for a terminal, or none. */
export interface Palette {
  good(text: string): string
  bad(text: string): string
  faint(text: string): string
  strong(text: string): string
}

export function createPalette(colours: boolean): Palette {
  const wrap = (code: number) => (text: string) => (colours ? `\u001B[${code}m${text}\u001B[0m` : text)
  return { good: wrap(32), bad: wrap(31), faint: wrap(2), strong: wrap(1) }
}

// Text from a sender may hold control characters or change the writing direction.
const commandsTerminals = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Formats JSON for people; escapes terminal control characters. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(commandsTerminals, escaped)
}

/** Formats text in one line; escapes terminal control characters. */
export function printableText(text: string): string {
  // eslint-disable-next-line no-control-regex -- matches control characters to escape them
  return text.replace(/[\u0000-\u001F]/g, escaped).replace(commandsTerminals, escaped)
}
