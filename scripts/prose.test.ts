import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const sentenceOf = (words: number) => `A${' word'.repeat(words - 1)}.`

const texts: readonly (readonly [what: string, text: string, rules: readonly string[]])[] = [
  ['a sentence of 25 words', sentenceOf(25), []],
  ['a sentence of 26 words', sentenceOf(26), ['words-per-sentence']],
  ['two sentences of 20 words', `${sentenceOf(20)} ${sentenceOf(20)}`, []],
  ['a number at the end of a sentence', `${sentenceOf(20).slice(0, -1)} 64. ${sentenceOf(20)}`, []],
  ['a long sentence in a table', `| a |\n| - |\n| ${sentenceOf(26)} |`, ['words-per-sentence']],
  ['a long piece of code', `Run \`${sentenceOf(40)}\` now.`, []],
  ['a word of our own', 'The second door settles it.', ['terminology', 'terminology']],
]

// textlint runs without its rules when it cannot load one of them, and then finds nothing.
it('the prose check finds long sentences and words of our own', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kyc-relay-prose-'))
  try {
    const files = texts.map(([what]) => path.join(folder, `${what}.md`))
    for (const [index, file] of files.entries()) writeFileSync(file, `${texts[index]?.[1]}\n`)
    const options = ['--rulesdir', 'scripts/prose', '--format', 'json', ...files]
    const { stdout } = spawnSync('node_modules/.bin/textlint', options, { cwd: root, encoding: 'utf8' })
    const found = JSON.parse(stdout) as readonly { filePath: string; messages: readonly { ruleId: string }[] }[]
    // textlint reads the files at once and reports each when it is done.
    const rulesOf = found.map((page) => [path.parse(page.filePath).name, page.messages.map(({ ruleId }) => ruleId)])
    expect(Object.fromEntries(rulesOf)).toEqual(Object.fromEntries(texts.map(([what, , rules]) => [what, rules])))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('the spelling check finds a misspelt word, and passes over code and words of the project', () => {
  const input = 'A pgae.\nPostgreSQL says `SQLSTAET`, the SQLSTATE.\n'
  const options = ['lint', '--no-progress', '--no-summary', '--words-only', 'stdin://page.md']
  const { stdout } = spawnSync('node_modules/.bin/cspell', options, { cwd: root, input, encoding: 'utf8' })
  expect(stdout.trim()).toBe('pgae')
})
