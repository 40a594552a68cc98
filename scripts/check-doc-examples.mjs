// Checks every fenced block of the Markdown files and of the doc comments: a ts or tsx block compiles as a module of its
// own with the public entry points in reach, or quotes a whole file that compiles; JSON and diagrams parse, and so does a
// program in plain js; commands of ours exist. A block that is none of these says that it is `text`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { problemsOfDiagram } from './doc-examples/diagrams.mjs'
import { fencedBlocks } from './doc-examples/fenced-blocks.mjs'
import { problemsOfCommands } from './doc-examples/shell-commands.mjs'
import { root } from './published-packages.mjs'

const patterns = ['*.md', 'packages/*/src/*.ts', 'packages/*/src/*.tsx', 'apps/*/src/*.ts', 'apps/*/src/*.tsx']
const listed = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns],
  { cwd: root, encoding: 'utf8' },
)
// The reference repeats the examples of the doc comments between declarations that are no modules.
const sources = listed
  .split('\0')
  .filter((file) => file !== '' && !/(?:^|\/)(?:CHANGELOG\.md|node_modules\/)|^docs\/reference\//.test(file))

const config = ts.getParsedCommandLineOfConfigFile(
  path.join(root, 'tsconfig.json'),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
    },
  },
)
const compiledFiles = new Set(config.fileNames.map((file) => path.relative(root, file)))

const folder = path.join(root, 'node_modules', '.cache', 'doc-examples')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const problems = []
const modules = new Map() // written file → { source, line }
let checked = 0

for (const source of sources) {
  const text = readIfThere(path.join(root, source))
  if (text === null) continue
  const found = fencedBlocks(text, source.endsWith('.md'))
  for (const { line, message } of found.problems) problems.push(`${source}:${line}: ${message}`)
  for (const block of found.blocks) {
    checked++
    for (const message of await problemsOfBlock(block, source)) problems.push(`${source}:${block.line}: ${message}`)
  }
}

function problemsOfBlock({ language, info, body, line }, source) {
  switch (language) {
    case 'ts':
    case 'tsx': {
      const quoted = /^ts file=(\S+)$/.exec(info)?.[1]
      // That the text is the file's is the business of quoted-files.test.ts.
      if (quoted !== undefined) return compiledFiles.has(quoted) ? [] : [`${quoted} is not compiled by tsconfig.json`]
      const file = path.join(folder, `${source.replace(/[^\w]+/g, '-')}-${modules.size}.${language}`)
      writeFileSync(file, `${body}\nexport {}\n`)
      modules.set(file, { source, line })
      return []
    }
    case 'js': // for what needs a package that is not installed here
      return syntaxErrors(body)
    case 'json':
      return isJson(body) ? [] : ['this is not JSON']
    case 'sh':
      return problemsOfCommands(body)
    case 'mermaid':
      return problemsOfDiagram(body)
    case 'text':
      return []
    default:
      return [`nothing checks a block of ${language || 'no language'}: make it ts, js, json, sh, mermaid or text`]
  }
}

function syntaxErrors(text) {
  const { diagnostics = [] } = ts.transpileModule(text, { fileName: 'block.mjs', reportDiagnostics: true })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null // removed in the working tree, still in the index
    throw error
  }
}

const program = ts.createProgram([...modules.keys()], config.options)
for (const [file, { source, line }] of modules) {
  const sourceFile = program.getSourceFile(file)
  const diagnostics = [...program.getSyntacticDiagnostics(sourceFile), ...program.getSemanticDiagnostics(sourceFile)]
  for (const diagnostic of diagnostics) {
    const at = sourceFile.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line
    problems.push(`${source}:${line + at}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`)
  }
}
for (const problem of problems) console.error(problem)
console.log(`${checked} blocks, ${modules.size} of them compiled, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
