// Finds the fenced blocks of a Markdown file, or of the doc comments of a source.

/**
 * @returns blocks `{ language, info, body, line }`, `line` being that of the first line of the body, and `problems`:
 *   what no block can be made of.
 */
export function fencedBlocks(text, isMarkdown) {
  const blocks = []
  const problems = []
  let open = null
  let exampleAt = 0
  for (const [index, line] of text.split('\n').entries()) {
    // In a doc comment every line starts with ` * `; elsewhere a block may be indented by its list item.
    const prefix = (isMarkdown ? /^ */ : /^ *\* ?/).exec(line)?.[0] ?? ''
    const rest = line.slice(prefix.length).trimStart()
    const mark = isMarkdown || prefix !== '' ? /^(?:`{3,}|~{3,})/.exec(rest)?.[0] : undefined
    if (open !== null) {
      if (mark?.startsWith(open.mark) && rest.slice(mark.length).trim() === '') {
        blocks.push({ ...open.block, body: open.lines.join('\n') })
        open = null
      } else open.lines.push(withoutPrefix(line, open.prefix))
      continue
    }
    if (mark !== undefined) {
      const info = rest.slice(mark.length).trim()
      open = { mark, prefix, lines: [], block: { info, language: info.split(/\s/)[0], line: index + 2 } }
      exampleAt = 0
      continue
    }
    if (isMarkdown) continue
    if (exampleAt > 0 && line.trim() !== '*') {
      problems.push({ line: exampleAt, message: 'an @example without a block of ts is not checked' })
      exampleAt = 0
    }
    if (/^\s*\* @example\b/.test(line)) exampleAt = index + 1
  }
  if (open !== null) problems.push({ line: open.block.line - 1, message: 'this block does not end' })
  return { blocks, problems }
}

const withoutPrefix = (line, prefix) =>
  line.startsWith(prefix) ? line.slice(prefix.length) : line.replace(/^\s*\*? ?/, '')
