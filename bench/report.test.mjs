import { JSDOM } from 'jsdom'
import { expect, test } from 'vitest'
import { plotOf, sectionOf } from './report.mjs'

const result = {
  name: 'verify-webhook',
  unit: 'nanoseconds per call',
  machine: { node: 'v20.20.2', cpu: 'a processor', cores: 2 },
  rows: [
    { contender: 'ours <1>', median: 1_234_567, lowest: 1_000_000, highest: 2_000_000 },
    { contender: 'peer', median: 500_000, lowest: 400_000, highest: 600_000 },
  ],
}

test('a table has every number of a result, with the machine and the command', () => {
  const text = sectionOf(result)
  for (const part of ['1,235,000', 'a processor', '2 cores, Node v20.20.2', 'npm run bench -- verify-webhook'])
    expect(text).toContain(part)
})

test('a plot is an SVG whose bars are as long as the values, against the highest one', () => {
  const { document } = new JSDOM(plotOf(result), { contentType: 'image/svg+xml' }).window
  const [, ours, peer] = document.querySelectorAll('rect')
  expect(Number(ours.getAttribute('width'))).toBeCloseTo((400 * 1_234_567) / 2_000_000, 0)
  expect(Number(peer.getAttribute('width'))).toBe(100)
  expect(document.documentElement.textContent).toContain('ours <1>')
})

test('a result without numbers has no plot', () => {
  expect(plotOf({ name: 'restart', unit: 'ms', rows: [] })).toBeNull()
})
