// One page per public entry point of the three packages, from doc comments, by TypeDoc.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Application, Logger, LogLevel, ReflectionKind, TSConfigReader } from 'typedoc'
import { load as markdown } from 'typedoc-plugin-markdown'
import { publishedPackages, root } from '../published-packages.mjs'

// `./testing` of a package is src/testing/index.ts; schemas and package.json are no modules. `./internal` has no page: it
// promises nothing.
const entryPoints = publishedPackages.flatMap(({ folder, manifest }) =>
  Object.keys(manifest.exports)
    .filter((subpath) => subpath !== './internal' && !subpath.endsWith('.json') && !subpath.includes('*'))
    .map((subpath) => path.join(folder, 'src', subpath, 'index.ts')),
)

const options = {
  entryPoints,
  plugin: [markdown],
  tsconfig: path.join(root, 'tsconfig.json'),
  skipErrorChecking: true, // `npm run typecheck` is the check
  logLevel: 'Warn',
  readme: 'none',
  disableSources: true, // line numbers would make every change a change of the reference
  excludeExternals: true,
  excludePrivate: true,
  excludeInternal: true,
  packagesRequiringDocumentation: publishedPackages.map(({ manifest }) => manifest.name),
  requiredToBeDocumented: ['Function', 'Method', 'Variable', 'Class', 'Interface', 'TypeAlias', 'Enum'],
  validation: { notExported: true, invalidLink: true, notDocumented: true },
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideInherited: true, hideOverrides: true, hideModifiers: true, hideSources: true },
}

/** Pages by file name, and what is wrong with the doc comments they were made from. */
export async function packagePages() {
  const folder = mkdtempSync(path.join(tmpdir(), 'reference-'))
  try {
    const app = await Application.bootstrapWithPlugins({ ...options, out: folder }, [new TSConfigReader()])
    const logger = new CollectingLogger()
    app.logger = logger
    const project = await app.convert()
    for (const module of project.children) module.name = moduleName(module)
    app.validate(project)
    await app.generateOutputs(project)
    return { pages: pagesIn(folder), warnings: [...logger.warnings, ...functionsWithoutExample(project)] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const moduleName = (module) => module.name.replace(/\/src(?=\/|$)/, '')

// What a literal inside of a type is for is said by its name and by the comment of that type.
const needNoComment = /\.__type\.|\.\[hasInstance\]/

class CollectingLogger extends Logger {
  warnings = []

  addContext(message) {
    return message
  }

  log(message, level) {
    if (level >= LogLevel.Warn && !needNoComment.test(message)) this.warnings.push(message)
  }
}

function functionsWithoutExample(project) {
  return project
    .getReflectionsByKind(ReflectionKind.Function)
    .filter(({ signatures }) => !signatures.some(({ comment }) => comment?.getTag('@example')))
    .map((reflection) => `${reflection.getFullName()} is a function whose doc comment has no @example`)
}

function pagesIn(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return new Map(names.sort().map((name) => [name, tidied(readFileSync(path.join(folder, name), 'utf8'), name)]))
}

/** Rows of properties are not linked to; neither is a column worth its width when every cell in it is empty. */
function tidied(text, name) {
  return text
    .replace(/<a id="property-[^"]*"><\/a> /g, '')
    .replace(/^# .*$/m, `# @kyc-relay/${name.replace(/\.md$/, '')}`)
    .replace(/\n\*{3}\n/g, '\n')
}
