// Writes docs/reference/: pages of the packages from their doc comments, of the REST API and the internal API from their
// OpenAPI documents, of GraphQL from its SDL and the texts of codes. Also writes the page of settings and .env.example.
// With --check it writes nothing and fails when a file is stale.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './published-packages.mjs'
import { graphqlPage } from './reference/graphql-page.mjs'
import { packagePages } from './reference/package-pages.mjs'
import { restPage } from './reference/rest-page.mjs'
import { envExample, settingsPage } from './reference/settings-page.mjs'
import { loadStatements } from './reference/statements.mjs'

const folder = path.join(root, 'docs/reference')
const { internalOpenApi, openApi, settingGroups, typeDefs, VIOLATION_MESSAGES, WARNING_MESSAGES } =
  await loadStatements()
const { pages, warnings } = await packagePages()
for (const warning of warnings) console.error(warning)

const note =
  '<!-- Written by `npm run reference`. Change the doc comment, the operation or the SDL it was made from. -->'
const files = new Map([
  ...pages,
  [
    'rest-api.md',
    restPage(
      openApi,
      'REST API',
      'Send `Authorization: Bearer` with the API key of the application. For machines: [`openapi.json`](openapi.json). A running server has both, at `/api/v1/docs` and `/api/v1/openapi.json`.',
    ),
  ],
  [
    'internal-api.md',
    restPage(
      internalOpenApi,
      'Internal API',
      'Send `Authorization: Bearer` with the token of an operator, or with `INTERNAL_TOKEN`. A running server has this page at `/internal/v1/docs`, and the document for machines at `/internal/v1/openapi.json`, both on the internal listener.',
    ),
  ],
  ['graphql.md', graphqlPage(typeDefs, { violations: VIOLATION_MESSAGES, warnings: WARNING_MESSAGES })],
  ['settings.md', settingsPage(settingGroups)],
  ['../../apps/reference-server/.env.example', envExample(settingGroups)],
  ['openapi.json', JSON.stringify(openApi, null, 2)],
  ['README.md', indexPage([...pages.keys()])],
])
for (const [name, text] of files) {
  const lines = name.endsWith('.md') && name !== 'settings.md' ? `${note}\n\n${text}` : text
  files.set(
    name,
    `${lines
      .replace(/[ \t]+$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd()}\n`,
  )
}

const problems = warnings.length
if (process.argv.includes('--check')) check()
else write()
if (problems > 0) process.exitCode = 1

function indexPage(packageFiles) {
  const entries = packageFiles.map((name) => `- [\`@kyc-relay/${name.replace(/\.md$/, '')}\`](${name})`)
  return [
    '# Reference',
    'Everything that the packages export, the APIs of the server, and its settings. Made from the sources: `npm run check` fails when a page is stale.',
    '## Packages',
    entries.join('\n'),
    '## The server',
    '- [REST API](rest-api.md), and the same for machines: [`openapi.json`](openapi.json)\n- [Internal API](internal-api.md) of operators and services\n- [GraphQL API](graphql.md)\n- [Settings](settings.md)',
  ].join('\n\n')
}

function write() {
  rmSync(folder, { recursive: true, force: true })
  for (const [name, text] of files) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  console.log(`${files.size} files written to docs/reference`)
}

function check() {
  const stale = [...files].filter(([name, text]) => text !== committed(name)).map(([name]) => name)
  const left = committedNames().filter((name) => !files.has(name))
  if (stale.length === 0 && left.length === 0) return
  console.error(
    'docs/reference or .env.example is not what the sources say. Run `npm run reference` and commit what it writes.',
  )
  for (const name of stale) console.error(`  ${name}: ${firstDifference(committed(name), files.get(name))}`)
  for (const name of left) console.error(`  ${name}: nothing makes it any more`)
  process.exitCode = 1
}

function committedNames() {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

function committed(name) {
  try {
    return readFileSync(path.join(folder, name), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

function firstDifference(before, after) {
  if (before === '') return 'missing'
  const [was, is] = [before.split('\n'), after.split('\n')]
  const line = is.findIndex((text, index) => text !== was[index])
  return line === -1 ? `ends too late, after line ${is.length}` : `line ${line + 1} would be: ${is[line]}`
}
