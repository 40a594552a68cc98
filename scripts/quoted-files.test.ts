import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = execFileSync('git', ['ls-files', '--', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '')
const quotes = pages.flatMap((page) =>
  [...readFileSync(`${root}/${page}`, 'utf8').matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, file, text]) => ({ page, file, text }),
  ),
)

// What a page shows of an example is the file that runs in the tests, to the letter.
it.each(quotes)('$page quotes $file as it is', ({ file, text }) => {
  expect(text).toBe(readFileSync(`${root}/${file}`, 'utf8'))
})

it('the README quotes the two smallest examples', () => {
  expect(quotes.filter(({ page }) => page === 'README.md').length).toBeGreaterThanOrEqual(2)
})
