import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as prettier from 'prettier'
import { campaigns } from './campaigns.mjs'
import { figuresOf } from './figures.mjs'
import { withFigures } from './readme-promises.mjs'
import { readResults } from './results.mjs'

const page = fileURLToPath(new URL('../docs/reliability.md', import.meta.url))
const readme = fileURLToPath(new URL('../README.md', import.meta.url))
const template = fileURLToPath(new URL('./reliability-page.md', import.meta.url))

const number = (value) => value.toLocaleString('en-US')

function sectionOf(name, campaign, runs) {
  const promises = campaign.promises.map((promise) => `- ${promise}`).join('\n')
  if (runs.length === 0) return `## ${name}\n\n${promises}\n\nNo run yet.\n\nNot tested: ${campaign.notTested}\n`
  const last = runs.at(-1)
  const { sizes, violations: found, runs: count } = figuresOf(campaign, runs)
  const tried = Object.entries(sizes)
    .filter(([, value]) => value > 0)
    .map(([key, value]) => `${number(value)} ${key}`)
  const caught = (control) => runs.findLast((run) => Object.hasOwn(run.controls, control))?.controls[control]
  const verdict = { true: 'caught', false: 'not caught', undefined: 'not run' }
  const controls = campaign.controls.map((one) => `| \`${one.name}\` | ${one.what} | ${verdict[caught(one.name)]} |`)
  return `## ${name}

${promises}

**${number(found)} violations** in ${count === 1 ? 'one run' : `${number(count)} runs`}, with:

${tried.map((size) => `- ${size}`).join('\n')}

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

/** The texts of `docs/reliability.md` and the README with the figures of all results, by their paths. */
export async function pagesOfResults() {
  const results = readResults()
  const loaded = {}
  for (const [name, load] of Object.entries(campaigns)) loaded[name] = await load()
  const sections = Object.entries(loaded).map(([name, campaign]) => sectionOf(name, campaign, results[name] ?? []))
  const texts = {
    [page]: readFileSync(template, 'utf8').replace('{{campaigns}}', () => sections.join('\n')),
    [readme]: withFigures(readFileSync(readme, 'utf8'), loaded, results),
  }
  for (const [file, text] of Object.entries(texts)) {
    const options = (await prettier.resolveConfig(file)) ?? {}
    texts[file] = await prettier.format(text, { ...options, parser: 'markdown' })
  }
  return texts
}

/** Writes the figures of all results into `docs/reliability.md` and the README. */
export async function writePages() {
  for (const [file, text] of Object.entries(await pagesOfResults())) writeFileSync(file, text)
  console.log('Written: docs/reliability.md, README.md')
}
