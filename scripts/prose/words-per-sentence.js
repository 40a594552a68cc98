// A textlint rule: a sentence of a paragraph, a list item or a table cell has at most `max` words.
// A piece of code counts as one word. textlint-rule-sentence-length counts characters and passes over tables.
import { split } from 'sentence-splitter'
import { StringSource } from 'textlint-util-to-string'

const isWord = (text) => /[\p{L}\p{N}_]/u.test(text)

export default function wordsPerSentence({ Syntax, RuleError, report, locator }, { max = 25 } = {}) {
  const replacer = ({ node, maskValue }) => (node.type === Syntax.Code ? maskValue('_') : undefined)

  function judge(node) {
    const source = new StringSource(node, { replacer })
    // "…has mode 0600. Compose" are two sentences; the splitter takes a dot after a digit for a part of the number.
    const text = source.toString().replace(/\d(?=\.\s)/g, 'n')
    for (const { type, raw, range } of split(text)) {
      const count = type === 'Sentence' ? raw.split(/\s+/).filter(isWord).length : 0
      if (count <= max) continue
      const index = source.originalIndexFromIndex(range[0]) ?? 0
      report(node, new RuleError(`${count} words, at most ${max}: ${raw.trim()}`, { padding: locator.at(index) }))
    }
  }
  return { [Syntax.Paragraph]: judge, [Syntax.TableCell]: judge }
}
