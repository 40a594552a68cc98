import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(`${root}/${file}`))
const text = (file: string) => readFileSync(`${root}/${file}`, 'utf8')
const prose = text('CONTRIBUTING.md').replaceAll(/^```[\s\S]+?^```$/gm, '')
const quoted = [...new Set([...prose.matchAll(/`([^`\n]+)`/g)].map(([, quote]) => quote ?? ''))]

// Who follows a recipe has never seen the code, and cannot guess how a name was changed.

it('each name of the recipes is in the code', () => {
  const code = files.filter((file) => /\.(?:[cm]?[jt]sx?|yml)$/.test(file)).map(text)
  const known = new Set(code.flatMap((source) => source.match(/\w+/g) ?? []))
  const names = quoted
    .map((quote) => /^([A-Za-z]\w*)(?:\(.*\))?$/.exec(quote)?.[1])
    .filter((name) => name !== undefined)
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !known.has(name))).toEqual([])
})

it('each file and folder of the recipes is there', () => {
  const paths = quoted.filter((quote) => /^[\w.-]+(?:\/[\w.-]+)+$|^[\w.-]+\.(?:[cm]?[jt]sx?|md|sh|sql)$/.test(quote))
  expect(paths.length).toBeGreaterThan(50)
  expect(paths.filter((path) => !files.some((file) => `/${file}/`.includes(`/${path}/`)))).toEqual([])
})
