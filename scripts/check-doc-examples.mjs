// Type-checks every ```ts and ```tsx block of the Markdown files and of the doc comments in the packages' sources, as a
// module of its own with the public entry points in reach. A block that cannot stand alone is not an example.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { root } from './published-packages.mjs'

const markdown = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '*.md', 'packages/*/src/*.ts'],
  { cwd: root, encoding: 'utf8' },
)
const sources = markdown
  .split('\0')
  .filter((file) => file !== '' && !/(?:^|\/)(?:CHANGELOG\.md|node_modules\/)|^docs\/reference\//.test(file))

const folder = path.join(root, 'node_modules', '.cache', 'doc-examples')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const blocks = new Map() // written file → { source, line }
for (const source of sources) {
  let text
  try {
    text = readFileSync(path.join(root, source), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') continue
    throw error
  }
  // In a doc comment every line starts with ` * `; elsewhere a block may be indented by its list item.
  const prefix = source.endsWith('.md') ? '[ ]*' : '[ ]*\\*[ ]?'
  const fence = new RegExp(`^(${prefix})\`\`\`(tsx?)\\b[^\\n]*\\n([\\s\\S]*?)^${prefix}\`\`\`[ ]*$`, 'gm')
  for (const [whole, indent, language, body] of text.matchAll(fence)) {
    const lines = body
      .split('\n')
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.replace(/^\s*\*? ?/, '')))
    const file = path.join(folder, `${source.replace(/[^\w]+/g, '-')}-${blocks.size}.${language}`)
    writeFileSync(file, `${lines.join('\n')}\nexport {}\n`)
    blocks.set(file, { source, line: text.slice(0, text.indexOf(whole)).split('\n').length + 1 })
  }
}

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
const program = ts.createProgram([...blocks.keys()], config.options)
let problems = 0
for (const [file, { source, line }] of blocks) {
  const sourceFile = program.getSourceFile(file)
  const diagnostics = [...program.getSyntacticDiagnostics(sourceFile), ...program.getSemanticDiagnostics(sourceFile)]
  for (const diagnostic of diagnostics) {
    const at = sourceFile.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line
    console.error(`${source}:${line + at}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`)
    problems++
  }
}
console.log(`${blocks.size} examples, ${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
