import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as prettier from 'prettier'
import { campaigns } from './campaigns.mjs'
import { readResults } from './results.mjs'

const page = fileURLToPath(new URL('../docs/reliability.md', import.meta.url))
const template = fileURLToPath(new URL('./reliability-page.md', import.meta.url))

const number = (value) => value.toLocaleString('en-US')

/** Adds up the sizes of all runs. Of what is the longest in a run, it keeps the longest. */
function together(runs) {
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
  const sizes = Object.entries(together(runs))
    .filter(([, value]) => value > 0)
    .map(([key, value]) => `${number(value)} ${key}`)
  const found = runs.reduce((sum, run) => sum + run.violations, 0)
  const caught = (control) => runs.findLast((run) => Object.hasOwn(run.controls, control))?.controls[control]
  const verdict = { true: 'caught', false: 'not caught', undefined: 'not run' }
  const controls = campaign.controls.map((one) => `| \`${one.name}\` | ${one.what} | ${verdict[caught(one.name)]} |`)
  return `## ${name}

${promises}

**${number(found)} violations** in ${runs.length === 1 ? 'one run' : `${number(runs.length)} runs`}, with:

${sizes.map((size) => `- ${size}`).join('\n')}

| Control | Known bug | Result |
| --- | --- | --- |
${controls.join('\n')}

Last run: ${last.at.slice(0, 10)}, commit \`${last.commit}\`, ${number(last.seconds)} s, ${last.machine}.

\`\`\`text
${last.command}
\`\`\`

Not tested: ${campaign.notTested}
`
}

/** The section of a campaign on the page as it is, or null. */
function earlierSection(text, name) {
  const [, section = null] = new RegExp(`\\n(## ${name}\\n.*?)\\n## `, 's').exec(text) ?? []
  return section
}

/** Writes `docs/reliability.md` from the results of the runs. A campaign without a result here keeps its section. */
export async function writeReliabilityPage() {
  const results = readResults()
  const before = readFileSync(page, 'utf8')
  const sections = []
  for (const [name, load] of Object.entries(campaigns))
    sections.push(
      (results[name] === undefined ? earlierSection(before, name) : null) ??
        sectionOf(name, await load(), results[name] ?? []),
    )
  const text = readFileSync(template, 'utf8').replace('{{campaigns}}', () => sections.join('\n'))
  const options = (await prettier.resolveConfig(page)) ?? {}
  writeFileSync(page, await prettier.format(text, { ...options, parser: 'markdown' }))
  console.log('Written: docs/reliability.md')
}
