import { printableText } from './colours.js'

/** Formats rows as columns, with a heading. Null is a dash. */
export function formatTable(heading: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const texts = [heading, ...rows.map((row) => row.map((text) => printableText(text ?? '-')))]
  const widths = heading.map((_, column) => Math.max(...texts.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')
  return texts.map((row) => line(row).trimEnd()).join('\n')
}
