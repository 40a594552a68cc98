// Installs the packed packages with npm, as a user does: beside other versions of the libraries they share, with the oldest
// and the newest version of each library, on SQLite and PostgreSQL, under several versions of TypeScript, and in a server
// bundled by webpack. A script of its own, since it needs the registry and installs about 400 MB into a temporary folder.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { programs } from '../examples/runtimes/programs.ts'
import { startEmbeddedServer } from '../packages/storage-drizzle/test/engine/postgres/embedded-server.ts'
import { storageServer } from './bundled-server.mjs'
import { postgresProgram } from './postgres-program.mjs'
import { publishedPackages, root } from './published-packages.mjs'

const run = promisify(execFile)
const stage = mkdtempSync(path.join(tmpdir(), 'kyc-relay-installs-'))
let problems = 0

function report(holds, what, detail = '') {
  if (!holds) problems += 1
  console.log(`  ${holds ? 'ok  ' : 'FAIL'}  ${what}${holds ? '' : `:\n${detail}`}`)
}

/** Both ends of every range that the packages promise. */
const ends = {
  oldest: {
    zod: '4.0.0',
    'drizzle-orm': '0.44.0',
    pg: '8.11.0',
    graphql: '16.0.0',
    '@types/node': '20.19.43',
    '@types/pg': '8.11.0',
    '@types/better-sqlite3': '7.6.13',
  },
  newest: {
    zod: '4.6.7',
    'drizzle-orm': '0.45.4',
    pg: '8.23.1',
    graphql: '17.1.0',
    '@types/node': '20.19.43',
    '@types/pg': '8.23.1',
    '@types/better-sqlite3': '7.6.13',
  },
}

/** What a receiver may find beside it: none of it is in a range of ours. */
const besideReceiver = [
  { zod: '3.25.76', 'drizzle-orm': '0.44.0' },
  { zod: '3.22.0', 'drizzle-orm': '0.30.0' },
  { zod: '4.6.7' },
]

const compilers = ['5.4.5', '5.9.3', '6.0.3', '7.0.2']
const resolutions = [
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
  // What older projects have. TypeScript 6 warns of it and 7 has it no more.
  { module: 'commonjs', moduleResolution: 'node10', until: 6 },
]

async function pack() {
  const folders = publishedPackages.map(({ name }) => `--workspace=packages/${name}`)
  const { stdout } = await run('npm', ['pack', '--json', `--pack-destination=${stage}`, ...folders], { cwd: root })
  const packed = Object.values(JSON.parse(stdout))
  return Object.fromEntries(
    publishedPackages.map(({ name, manifest }) => [
      name,
      path.join(stage, packed.find((one) => one.name === manifest.name).filename),
    ]),
  )
}

/** A folder with these packages, installed at once as npm does for a new project. Returns how many packages there are. */
async function install(name, tarballs, versions) {
  const folder = path.join(stage, name)
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
  const wanted = Object.entries(versions).map(([library, version]) => `${library}@${version}`)
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--strict-peer-deps']
  await run('npm', ['install', ...options, ...wanted, ...tarballs], { cwd: folder })
  const lock = JSON.parse(readFileSync(path.join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  return { folder, count: Object.keys(lock.packages).length }
}

/** The native driver that is installed here: each end would compile its own. */
function linkDriver(folder) {
  symlinkSync(path.join(root, 'node_modules', 'better-sqlite3'), path.join(folder, 'node_modules', 'better-sqlite3'))
}

async function node(folder, program) {
  const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    cwd: folder,
  })
  return stdout.trim()
}

const load = (...entries) => `const { createRequire } = await import('node:module')
  const require = createRequire(process.cwd() + '/x.cjs')
  for (const entry of ${JSON.stringify(entries)}) { await import(entry); require(entry) }
  console.log('loaded')`

const refusal = (entry) =>
  `await import('${entry}').then(() => console.log('loaded'), (error) => console.log(error.message))`

async function checkReceiver({ webhooks }) {
  console.log('A receiver')
  const alone = await install('receiver', [webhooks], {})
  report(alone.count === 1, 'installs 1 package', `${alone.count} packages`)
  report((await node(alone.folder, load('@kyc-relay/webhooks', '@kyc-relay/webhooks/node'))) === 'loaded', 'loads')
  for (const entry of ['delivery', 'events']) {
    const said = await node(alone.folder, refusal(`@kyc-relay/webhooks/${entry}`))
    report(said.includes("Cannot find package 'zod'"), `./${entry} without zod names it`, said)
  }
  report((await node(alone.folder, load('@kyc-relay/webhooks/https'))) === 'loaded', './https loads alone')

  for (const [index, versions] of besideReceiver.entries()) {
    const what = Object.entries(versions)
      .map(([library, version]) => `${library} ${version}`)
      .join(', ')
    const { folder } = await install(`beside-${index}`, [webhooks], versions)
    const loaded = await node(folder, load('@kyc-relay/webhooks', '@kyc-relay/webhooks/node'))
    report(loaded === 'loaded', `installs and loads beside ${what}`, loaded)
    if (versions.zod.startsWith('3.')) {
      const text = await node(folder, refusal('@kyc-relay/webhooks/delivery'))
      report(text.includes('needs zod 4'), `./delivery names the wrong zod ${versions.zod}`, text)
    }
  }
}

/** The program of docs/embed.md, which sends an event to a receiver of its own. */
async function checkProgram(folder) {
  const source = readFileSync(path.join(root, 'examples', 'embed', 'send-webhooks.ts'), 'utf8')
  const { code } = await transform(source, { loader: 'ts', format: 'esm' })
  writeFileSync(path.join(folder, 'send-webhooks.mjs'), code)
  const { stdout } = await run(process.execPath, ['send-webhooks.mjs'], { cwd: folder })
  report(stdout === 'QUEUED WIDGET_DEPOSIT_COMPLETE\n', 'the program of docs/embed.md sends', stdout)
}

/** Every run has a database of its own. */
async function checkPostgres(folder, server, end, runtime, ...command) {
  const url = new URL(server.url)
  const name = `${end}_${runtime.toLowerCase()}`
  const create = `const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: '${url.href}' })
    await client.connect()
    await client.query('CREATE DATABASE ${name}')
    await client.end()`
  await node(folder, create)
  url.pathname = name
  writeFileSync(path.join(folder, 'postgres.mjs'), postgresProgram)
  const [program, ...args] = command
  const { stdout } = await run(program, [...args, 'postgres.mjs', url.href], { cwd: folder, timeout: 120_000 })
  report(stdout === 'done\n', `${runtime} sends from transactions of pg and of Drizzle on PostgreSQL`, stdout)
}

const entriesOf = (names) =>
  publishedPackages
    .filter(({ name }) => names.includes(name))
    .flatMap(({ manifest }) =>
      Object.entries(manifest.exports)
        .filter(([, target]) => typeof target === 'object')
        .map(([key]) => manifest.name + key.slice(1)),
    )

const receiverProgram = `
import { createWebhookHandler, verifyWebhook } from '@kyc-relay/webhooks'
export const handler = createWebhookHandler({ secrets: process.env.KYC_RELAY_API_KEY, onEvent: ({ type }) => console.log(type) })
export const verify = (body: string, headers: Record<string, string>) =>
  verifyWebhook({ body, headers, secrets: process.env.KYC_RELAY_API_KEY })
export const either = (body: string, headers: Headers) =>
  verifyWebhook({ body, headers, secrets: [process.env.NEW_KEY, process.env.OLD_KEY] })
`

/** Exports what a project with `declaration` must be able to name. */
const namedProgram = `
import { createPostgresVault, openPostgresAuditLog } from '@kyc-relay/storage-drizzle/postgres'
import { createSqliteVault, openSqliteAuditLog } from '@kyc-relay/storage-drizzle/sqlite'
export const openVaults = (options: never) => [createSqliteVault(options, options), createPostgresVault(options, options)] as const
export const openLogs = (options: never) => [openSqliteAuditLog(options, options), openPostgresAuditLog(options, options)] as const
`

/** Compiles, with the declarations of all packages checked, and keeps the errors that are ours. */
async function compile(folder, compiler, what, files, options) {
  const { until, ...resolution } = options
  const major = Number(compiler.split('.')[0])
  if (until !== undefined && major > until) return
  const silent = until === major ? { ignoreDeprecations: `${major}.0` } : {}
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    ...resolution,
    ...silent,
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = path.join(stage, 'compilers', 'node_modules', `typescript-${compiler}`, 'bin', 'tsc')
  const output = await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder }).then(
    () => '',
    ({ stdout, stderr }) => stdout + stderr,
  )
  // A line of an error begins with its file; its explanation is indented. An error of the options has no file.
  const ours = output
    .split('\n')
    .filter(
      (line) =>
        /^\S/.test(line) &&
        (!line.startsWith('node_modules/') || /^node_modules\/@kyc-relay\/[^/]+\/(?!node_modules)/.test(line)),
    )
  report(ours.length === 0, `TypeScript ${compiler}, ${options.moduleResolution}: ${what}`, ours.slice(0, 8).join('\n'))
}

async function checkTypes(tarballs, installed) {
  console.log('Declarations without skipLibCheck')
  await install(
    'compilers',
    [],
    Object.fromEntries(compilers.map((one) => [`typescript-${one}`, `npm:typescript@${one}`])),
  )
  const receiver = await install('typed-receiver', [tarballs.webhooks], { '@types/node': '20.19.43' })
  writeFileSync(path.join(receiver.folder, 'receiver.ts'), receiverProgram)
  const everything = entriesOf(publishedPackages.map(({ name }) => name))
    .map((entry, index) => `import * as entry${index} from '${entry}'\nexport const used${index} = entry${index}\n`)
    .join('')
  for (const { folder } of Object.values(installed)) {
    writeFileSync(path.join(folder, 'everything.ts'), everything)
    writeFileSync(path.join(folder, 'named.ts'), namedProgram)
  }
  for (const compiler of compilers) {
    for (const resolution of resolutions) {
      const end = compiler === compilers[0] ? 'oldest' : 'newest'
      const node = { ...resolution, types: ['node'] }
      await compile(receiver.folder, compiler, 'a receiver', ['receiver.ts'], {
        ...node,
        exactOptionalPropertyTypes: true,
      })
      if (resolution.module === 'node16') {
        const withoutDom = { ...node, lib: ['es2022'] }
        await compile(receiver.folder, compiler, 'a receiver without the DOM', ['receiver.ts'], withoutDom)
      }
      await compile(installed[end].folder, compiler, `everything, ${end} libraries`, ['everything.ts'], node)
      const written = { ...node, declaration: true }
      await compile(installed[end].folder, compiler, `declarations, ${end} libraries`, ['named.ts'], written)
    }
  }
}

/** A bundle of webpack, away from all packages but the native driver, opens its storage. */
async function checkWebpack({ folder }) {
  console.log('A server bundled by webpack')
  const tools = await install('webpack', [], { webpack: '5.112.2' })
  // By another name than `require`: webpack is no dependency of this repository.
  const loadTool = createRequire(path.join(tools.folder, 'package.json'))
  const webpack = loadTool('webpack')
  const entry = path.join(folder, 'server.mjs')
  writeFileSync(entry, storageServer)
  for (const type of ['commonjs', 'module']) {
    const away = path.join(stage, `bundled-${type}`)
    mkdirSync(path.join(away, 'node_modules'), { recursive: true })
    linkDriver(away)
    const filename = type === 'module' ? 'server.mjs' : 'server.cjs'
    const options = {
      entry,
      target: 'node20',
      mode: 'production',
      output: { path: away, filename, ...(type === 'module' ? { module: true, chunkFormat: 'module' } : {}) },
      ...(type === 'module' ? { experiments: { outputModule: true } } : {}),
      externals: { 'better-sqlite3': `${type === 'module' ? 'module' : 'commonjs'} better-sqlite3` },
    }
    const stats = await promisify(webpack)(options)
    if (stats.hasErrors()) {
      report(false, `webpack writes ${filename}`, stats.toString({ all: false, errors: true }))
      continue
    }
    const { stdout } = await run(process.execPath, [path.join(away, filename), path.join(away, 'kyc')], { cwd: away })
    report(stdout === 'opened\n', `${filename} opens its storage`, stdout)
  }
}

const server = await startEmbeddedServer()
try {
  const tarballs = await pack()
  await checkReceiver(tarballs)
  const installed = {}
  for (const [end, versions] of Object.entries(ends)) {
    console.log(`Everything beside the ${end} libraries`)
    installed[end] = await install(end, Object.values(tarballs), versions)
    report(true, 'installs without a conflict')
    linkDriver(installed[end].folder)
    const loaded = await node(installed[end].folder, load(...entriesOf(Object.keys(tarballs))))
    report(loaded === 'loaded', 'every entry loads', loaded)
    await checkProgram(installed[end].folder)
    await checkPostgres(installed[end].folder, server, end, 'Node', programs.Node())
    await checkPostgres(installed[end].folder, server, end, 'Bun', programs.Bun(), 'run')
    await checkPostgres(
      installed[end].folder,
      server,
      end,
      'Deno',
      programs.Deno(),
      'run',
      '--no-prompt',
      '--allow-all',
    )
  }
  await checkWebpack(installed.newest)
  await checkTypes(tarballs, installed)
} catch (error) {
  problems += 1
  console.log(error.stdout ?? '', error.stderr ?? '', error.message)
} finally {
  await server.stop()
  rmSync(stage, { recursive: true, force: true })
}
console.log(problems === 0 ? 'The packages install and build.' : `${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
