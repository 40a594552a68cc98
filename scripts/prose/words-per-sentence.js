// A textlint rule: a sentence of a paragraph, a list item or a table cell has at most `max` words.
// Code counts as one word, a number as none. textlint-rule-sentence-length counts characters and passes over tables.
import { StringSource } from 'textlint-util-to-string'

const sentences = /[^]+?(?:[.!?]["”)]*(?=\s+["“(]?[\p{Lu}\d_])|$)/gu
const isWord = (text) => /[\p{L}_]/u.test(text)

export default function wordsPerSentence({ Syntax, RuleError, report, locator }, { max = 25 } = {}) {
  const replacer = ({ node, maskValue }) => (node.type === Syntax.Code ? maskValue('_') : undefined)

  function judge(node) {
    const source = new StringSource(node, { replacer })
    for (const { 0: sentence, index } of source.toString().matchAll(sentences)) {
      const count = sentence.split(/\s+/).filter(isWord).length
      if (count <= max) continue
      const start = source.originalIndexFromIndex(index) ?? 0
      report(node, new RuleError(`${count} words, at most ${max}: ${sentence.trim()}`, { padding: locator.at(start) }))
    }
  }
  return { [Syntax.Paragraph]: judge, [Syntax.TableCell]: judge }
}
