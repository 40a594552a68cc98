import { JSDOM } from 'jsdom'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { atLeast, atMost } from './harness.mjs'
import { goalsOf, plotsOf, sectionOf } from './report.mjs'
import { short } from './short.mjs'

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
  const [{ svg }] = plotsOf(result)
  const { document } = new JSDOM(svg, { contentType: 'image/svg+xml' }).window
  const [, ours, peer] = document.querySelectorAll('rect')
  expect(Number(ours.getAttribute('width'))).toBeCloseTo((400 * 1_234_567) / 2_000_000, 0)
  expect(Number(peer.getAttribute('width'))).toBe(100)
  expect(document.documentElement.textContent).toContain('ours <1>')
})

test('a result without numbers has no plot', () => {
  expect(plotsOf({ name: 'restart', unit: 'ms', rows: [] })).toEqual([])
})

test('a result with plots of its own has a bar for each row and column', () => {
  const rows = [
    { contender: 'ours', p50: 2, p99: 8 },
    { contender: 'peer', p50: 3, p99: 4 },
  ]
  const plots = [{ name: 'latency', title: 'Latency', columns: ['p50', 'p99'] }]
  const [{ name, svg }] = plotsOf({ name: 'ingestion', unit: 'ms', rows, plots })
  expect(name).toBe('latency')
  const { document } = new JSDOM(svg, { contentType: 'image/svg+xml' }).window
  const widths = [...document.querySelectorAll('rect')].slice(1).map((bar) => Number(bar.getAttribute('width')))
  expect(widths).toEqual([100, 400, 150, 200])
  for (const label of ['ours, p50', 'ours, p99', 'peer, p50', 'peer, p99'])
    expect(document.documentElement.textContent).toContain(label)
})

test('a section has the sizes, the configuration, what was not measured and the command that was run', () => {
  const text = sectionOf({
    ...result,
    command: 'npm run bench -- --short verify-webhook',
    sizes: { rounds: 3, submissions: 4_000 },
    setup: { peer: 'its defaults' },
    notMeasured: { other: 'needs a service' },
  })
  for (const part of [
    'Sizes: rounds: 3; submissions: 4,000.',
    '- peer: its defaults',
    'Not measured: other: needs a service.',
    'npm run bench -- --short verify-webhook',
  ])
    expect(text).toContain(part)
})

test('the table of goals says what was reached and what was not', () => {
  const goals = [atLeast('pace over the peer', 1.234, 1.1), atMost('latency, in ms', 31, 30)]
  const table = goalsOf([{ name: 'ingestion', goals }, { name: 'apps' }])
  expect(table).toContain('| [ingestion](#ingestion) | pace over the peer | ≥ 1.1 | 1.234 | yes |')
  expect(table).toContain('| [ingestion](#ingestion) | latency, in ms | ≤ 30 | 31 | **no** |')
  expect(table).not.toContain('apps')
})

test('the short run has only measurements that are there, with those that the page promises', () => {
  const names = Object.keys(short)
  for (const name of names) expect(existsSync(new URL(`./${name}.bench.mjs`, import.meta.url)), name).toBe(true)
  for (const name of ['ingestion', 'deliveries', 'growth', 'isolation', 'pinned-horizon']) expect(names).toContain(name)
})
