// Writes docs/benchmarks.md with tables, and docs/benchmarks/*.svg, from the results of the measurements.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** The column that is plotted: the median, or else the first number. */
function firstNumber(rows) {
  const names = Object.keys(rows[0] ?? {})
  return names.find((name) => name === 'median') ?? names.find((name) => typeof rows[0][name] === 'number')
}

/** What a row says before its first plotted number. */
function labelOf(row, columns) {
  const before = Object.entries(row).slice(
    0,
    Object.keys(row).findIndex((name) => columns.includes(name)),
  )
  const texts = before.map(([, value]) => value).filter((value) => typeof value !== 'boolean')
  return texts.map(shown).join(', ')
}

const listOf = (named) => Object.entries(named ?? {}).map(([name, value]) => `${name}: ${shown(value)}`)

/** The Markdown of one result. */
export function sectionOf(result) {
  const { name, command, unit, at, commit, machine, rows = [], sizes, setup, notMeasured } = result
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
  const missing = listOf(notMeasured).map((one) => `Not measured: ${one}.`)
  return `## ${name}

In ${unit}. ${measured.filter(Boolean).join(', ')}.

${plotsOf(result)
  .map((plot) => `![${plot.title}](benchmarks/${plot.name}.svg)`)
  .join('\n\n')}

${rows.length === 0 ? '' : table.join('\n')}

${listOf(sizes).length === 0 ? '' : `Sizes: ${listOf(sizes).join('; ')}.`}

${listOf(setup)
  .map((one) => `- ${one}`)
  .join('\n')}

${missing.join('\n')}

\`\`\`text
${command ?? `npm run bench -- ${name}`}
\`\`\`
`
}

/** The plots of one result: `{ name, title, svg }` each; none for one without numbers. */
export function plotsOf({ name, unit, rows = [], plots }) {
  const column = firstNumber(rows)
  if (column === undefined) return []
  const wanted = plots ?? [
    { name, title: `${name}: ${column === 'median' ? unit : `${column}, ${unit}`}`, columns: [column] },
  ]
  return wanted.map((plot) => {
    const bars = rows.flatMap((row) =>
      plot.columns.map((one) => ({
        label: [labelOf(row, plot.columns), ...(plot.columns.length > 1 ? [one] : [])].join(', '),
        value: row[one],
        ...(one === 'median' && { lowest: row.lowest, highest: row.highest }),
      })),
    )
    return { name: plot.name, title: plot.title, svg: barPlot({ title: plot.title, bars }) }
  })
}

/** The table of all goals, with what was measured. */
export function goalsOf(all) {
  const rows = all.flatMap(({ name, goals = [] }) =>
    goals.map(
      ({ what, value, reach, isMet }) =>
        `| [${name}](#${name}) | ${what} | ${reach} | ${shown(value)} | ${isMet ? 'yes' : '**no**'} |`,
    ),
  )
  return ['| Measurement | Goal | Reach | Measured | Reached |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

/** Writes the page from the results that there are of these names. Returns the names of the results. */
export async function writeBenchmarksPage({ results, command, names }) {
  const folder = path.join(path.dirname(pageFile), 'benchmarks')
  mkdirSync(folder, { recursive: true })
  const files = names.map((name) => `${name}.json`).filter((file) => existsSync(path.join(results, file)))
  const all = files.map((file) => JSON.parse(readFileSync(path.join(results, file), 'utf8')))
  for (const { name, svg } of all.flatMap(plotsOf)) writeFileSync(path.join(folder, `${name}.svg`), svg)
  const text = `# Benchmarks

What [the measurements](../bench/README.md) showed on one machine. This command writes this page. No figure is written by hand.

\`\`\`text
${command}
\`\`\`

Figures of different machines do not compare. A goal is a ratio of two figures of one run, where there is a peer. Each section has the
sizes, the configuration of each contender, and the command that repeats it. With \`--short\` the sizes are those of
[bench/short.mjs](../bench/short.mjs), else larger. [Earlier figures](../bench/HISTORY.md) show what changed.

## Goals

${goalsOf(all)}

${all.map(sectionOf).join('\n')}`
  const options = (await prettier.resolveConfig(pageFile)) ?? {}
  writeFileSync(pageFile, await prettier.format(text, { ...options, parser: 'markdown' }))
  return all.map(({ name }) => name)
}
