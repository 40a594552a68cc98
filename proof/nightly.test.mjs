import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { campaigns } from './campaigns.mjs'

const text = readFileSync(new URL('../.github/workflows/nightly.yml', import.meta.url), 'utf8')

test('the nightly workflow runs each campaign in a job of its own', () => {
  const [, list = ''] = /\n {8}campaign:\n((?: {10}- .+\n)+)/.exec(text) ?? []
  expect(list.match(/[a-z-]+(?=\n)/g)).toEqual(Object.keys(campaigns))
})

test('the nightly workflow runs the controls too', () => {
  const commands = text.match(/npm run prove .*/g)
  expect(commands).toEqual(['npm run prove -- "$CAMPAIGN" $SIZE --seed $((TEST_SEED * 1000003))'])
  expect(text).not.toMatch(/--skip-controls|--only/)
})
