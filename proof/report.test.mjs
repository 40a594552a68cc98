import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { campaigns } from './campaigns.mjs'
import { figuresOf } from './figures.mjs'
import { promises } from './readme-promises.mjs'
import { pagesOfResults } from './report.mjs'
import { readResults } from './results.mjs'

test('the README and the page of reliability have the figures of the results', async () => {
  for (const [file, text] of Object.entries(await pagesOfResults())) expect(readFileSync(file, 'utf8')).toBe(text)
})

test('each promise of the README has a figure and controls that were caught', async () => {
  const results = readResults()
  for (const [name, sizes] of promises.flatMap(({ triedWith }) => Object.entries(triedWith))) {
    const figures = figuresOf(await campaigns[name](), results[name] ?? [])
    for (const size of sizes) expect(figures.sizes[size], `${name} ${size}`).toBeGreaterThan(0)
    const caught = results[name].flatMap(({ controls }) => Object.values(controls))
    expect(caught, name).toContain(true)
    expect(caught, name).not.toContain(false)
  }
})
