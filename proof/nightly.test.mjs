import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { campaigns } from './campaigns.mjs'

test('the nightly workflow runs each campaign in a job of its own', () => {
  const text = readFileSync(new URL('../.github/workflows/nightly.yml', import.meta.url), 'utf8')
  const [, list = ''] = /\n {8}campaign:\n((?: {10}- .+\n)+)/.exec(text) ?? []
  expect(list.match(/[a-z-]+(?=\n)/g)).toEqual(Object.keys(campaigns))
})
