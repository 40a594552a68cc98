import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as prettier from 'prettier'
import { campaigns } from './campaigns.mjs'
import { readResults } from './results.mjs'

const page = fileURLToPath(new URL('../docs/reliability.md', import.meta.url))
const template = fileURLToPath(new URL('./reliability-page.md', import.meta.url))

const number = (value) => value.toLocaleString('en-US')

/**
 * Adds up the sizes of all runs. Of what is the longest in a run, it keeps the longest. A campaign that does the same in each
 * run has the sizes of the last one.
 */
function together(campaign, runs) {
  if (campaign.isSameEachRun) return runs.at(-1).sizes
  const sizes = {}
  for (const run of runs) {
    for (const [name, value] of Object.entries(run.sizes)) {
      sizes[name] = name.includes('longest') ? Math.max(sizes[name] ?? 0, value) : (sizes[name] ?? 0) + value
    }
  }
  return sizes
}

function sectionOf(name, campaign, runs) {
  const promises = campaign.promises.map((promise) => `- ${promise}`).join('\n')
  if (runs.length === 0) return `## ${name}\n\n${promises}\n\nNo run yet.\n\nNot tested: ${campaign.notTested}\n`
  const last = runs.at(-1)
  const sizes = Object.entries(together(campaign, runs))
    .filter(([, value]) => value > 0)
    .map(([key, value]) => `${number(value)} ${key}`)
  const found = runs.reduce((sum, run) => sum + run.violations, 0)
  const count = runs.reduce((sum, run) => sum + (run.runs ?? 1), 0)
  const caught = (control) => runs.findLast((run) => Object.hasOwn(run.controls, control))?.controls[control]
  const verdict = { true: 'caught', false: 'not caught', undefined: 'not run' }
  const controls = campaign.controls.map((one) => `| \`${one.name}\` | ${one.what} | ${verdict[caught(one.name)]} |`)
  return `## ${name}

${promises}

**${number(found)} violations** in ${count === 1 ? 'one run' : `${number(count)} runs`}, with:

${sizes.map((size) => `- ${size}`).join('\n')}

| Control | Known bug | Result |
| --- | --- | --- |
${controls.join('\n')}

${runs.length === 1 ? '' : `First run: ${runs[0].at.slice(0, 10)}, commit \`${runs[0].commit}\`. `}Last run: ${last.at.slice(0, 10)}, commit \`${last.commit}\`, ${number(last.seconds)} s, ${last.machine}.

\`\`\`text
${last.command}
\`\`\`

Not tested: ${campaign.notTested}
`
}

/** Writes `docs/reliability.md` from the results of the runs. */
export async function writeReliabilityPage() {
  const results = readResults()
  const sections = []
  for (const [name, load] of Object.entries(campaigns))
    sections.push(sectionOf(name, await load(), results[name] ?? []))
  const text = readFileSync(template, 'utf8').replace('{{campaigns}}', () => sections.join('\n'))
  const options = (await prettier.resolveConfig(page)) ?? {}
  writeFileSync(page, await prettier.format(text, { ...options, parser: 'markdown' }))
  console.log('Written: docs/reliability.md')
}
