// Writes docs/benchmarks.md with tables, and docs/benchmarks/*.svg, from the results of the measurements.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as prettier from 'prettier'
import { barPlot } from './bar-plot.mjs'

const pageFile = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

const shown = (value) => {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number') return Number(value.toPrecision(4)).toLocaleString('en-US')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, one]) => `${name} ${shown(one)}`)
      .join(', ')
  return String(value)
}

/** The number of a row that is plotted: its median, or else its first number. */
function plotted(row) {
  const entry =
    Object.entries(row).find(([name]) => name === 'median') ??
    Object.entries(row).find(([, value]) => typeof value === 'number')
  return entry === undefined ? null : { column: entry[0], value: entry[1] }
}

/** What a row says before its first plotted number. */
function labelOf(row, column) {
  const entries = Object.entries(row)
  const before = entries.slice(
    0,
    entries.findIndex(([name]) => name === column),
  )
  return before.map(([, value]) => shown(value)).join(', ')
}

/** The Markdown of one result. */
export function sectionOf({ name, unit, at, commit, machine, rows = [] }) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const line = (cells) => `| ${cells.join(' | ')} |`
  const table = [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((one) => shown(row[one])))),
  ]
  const measured = [
    at?.slice(0, 10),
    commit === undefined ? null : `commit \`${commit}\``,
    machine?.cpu,
    machine && `${machine.cores} cores, Node ${machine.node}`,
  ]
  return `## ${name}

In ${unit}. ${measured.filter(Boolean).join(', ')}.

${plotOf({ name, rows }) === null ? '' : `![${name}](benchmarks/${name}.svg)\n`}
${rows.length === 0 ? '' : table.join('\n')}

\`\`\`text
npm run bench -- ${name}
\`\`\`
`
}

/** The plot of one result; null for one without numbers. */
export function plotOf({ name, unit, rows = [] }) {
  const bars = rows.flatMap((row) => {
    const one = plotted(row)
    const { lowest, highest } = row
    return one === null ? [] : [{ label: labelOf(row, one.column), ...one, lowest, highest }]
  })
  if (bars.length === 0) return null
  const [{ column }] = bars
  return barPlot({ title: `${name}: ${column === 'median' ? unit : `${column}, ${unit}`}`, bars })
}

/** Writes the page from every result of the folder. Returns the names of the results. */
export async function writeBenchmarksPage(results) {
  const plots = path.join(path.dirname(pageFile), 'benchmarks')
  mkdirSync(plots, { recursive: true })
  const files = readdirSync(results).filter((file) => file.endsWith('.json'))
  const all = files.sort().map((file) => JSON.parse(readFileSync(path.join(results, file), 'utf8')))
  for (const one of all) {
    const plot = plotOf(one)
    if (plot !== null) writeFileSync(path.join(plots, `${one.name}.svg`), plot)
  }
  const text = `# Benchmarks

What [the measurements](../bench/README.md) showed on one machine. \`npm run bench -- --report\` writes this page from the results in
\`bench/results\`. No figure is written by hand. [bench/README.md](../bench/README.md) says what each one measures, beside which peer,
and how the peer is set up. [Earlier figures](../bench/HISTORY.md) show what changed.

${all.map(sectionOf).join('\n')}`
  const options = (await prettier.resolveConfig(pageFile)) ?? {}
  writeFileSync(pageFile, await prettier.format(text, { ...options, parser: 'markdown' }))
  return all.map(({ name }) => name)
}
