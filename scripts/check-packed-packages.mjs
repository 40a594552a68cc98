// Packs the published packages as `npm publish` would and looks at the tarballs from the outside: publint,
// are-the-types-wrong, then an installation in an empty folder that loads every export by import and by require.
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build, transform } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { rollup } from 'rollup'
import { storageServer } from './bundled-server.mjs'
import { publishedPackages, root } from './published-packages.mjs'

const execute = promisify(execFile)
const problems = []
const workFolder = mkdtempSync(path.join(tmpdir(), 'packed-packages-'))

async function run(what, command, args, cwd = root) {
  try {
    return (await execute(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    problems.push(`${what}:\n${error.stdout ?? ''}${error.stderr ?? ''}`.trimEnd())
    return null
  }
}

async function pack() {
  const folders = publishedPackages.map(({ name }) => `--workspace=packages/${name}`)
  const output = await run('npm pack', 'npm', ['pack', '--json', `--pack-destination=${workFolder}`, ...folders])
  if (output === null) return []
  const packed = Object.values(JSON.parse(output))
  return publishedPackages.map((published) => {
    const { filename, files } = packed.find(({ name }) => name === published.manifest.name)
    return { ...published, tarball: path.join(workFolder, filename), files: files.map((file) => file.path) }
  })
}

function checkContent({ manifest, files }) {
  for (const wanted of ['LICENSE', 'README.md']) {
    if (!files.includes(wanted)) problems.push(`${manifest.name}: the tarball holds no ${wanted}`)
  }
  for (const file of files) {
    if (/(?:^|\/)(?:test|fixtures)\/|\.test\.|\.env|tsconfig/.test(file))
      problems.push(`${manifest.name}: ships ${file}`)
  }
}

async function lintPackage({ manifest, tarball }) {
  const bytes = readFileSync(tarball)
  const archive = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball: archive }, strict: true })
  for (const message of messages)
    problems.push(`${manifest.name}: publint: ${formatMessage(message, pkg, { color: false })}`)
}

async function checkTypes({ manifest, tarball }) {
  const attw = path.join(root, 'node_modules', '.bin', 'attw')
  const options = ['--profile', 'node16', '--no-definitely-typed', '--no-emoji', '--no-color', '--format', 'ascii']
  await run(`${manifest.name}: are-the-types-wrong`, attw, [tarball, ...options])
}

/** Unpacks tarballs into `<folder>/node_modules`, with links to the modules named in `peers`. */
async function install(folder, packages, peers) {
  for (const { manifest, tarball } of packages) {
    const target = path.join(folder, 'node_modules', manifest.name)
    mkdirSync(target, { recursive: true })
    await run(`tar ${manifest.name}`, 'tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  }
  for (const peer of peers) {
    const target = path.join(folder, 'node_modules', peer)
    mkdirSync(path.dirname(target), { recursive: true })
    symlinkSync(path.join(root, 'node_modules', peer), target, 'dir')
  }
}

const codeEntries = ({ manifest }) =>
  Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object' && ('import' in target || 'require' in target))
    .map(([key]) => manifest.name + key.slice(1))

async function loadEntries(folder, entries, what) {
  // Both formats must load, and export the same names.
  const program = `
    const { createRequire } = await import('node:module')
    const require = createRequire(process.cwd() + '/consumer.cjs')
    for (const entry of ${JSON.stringify(entries)}) {
      const names = (loaded) => Object.keys(loaded).filter((name) => name !== 'default' && name !== '__esModule' && name !== 'module.exports').sort().join()
      try {
        const imported = names(await import(entry))
        const required = names(require(entry))
        if (imported === '' && !entry.endsWith('/internal')) console.error(entry + ': exports nothing')
        if (imported !== required) console.error(entry + ': import gives ' + imported + '; require gives ' + required)
      } catch (error) {
        console.error(entry + ': ' + error.message)
      }
    }`
  const file = path.join(folder, 'consumer.mjs')
  writeFileSync(file, program)
  try {
    const { stderr } = await execute(process.execPath, ['--no-warnings', file], { cwd: folder, encoding: 'utf8' })
    for (const line of stderr.split('\n').filter(Boolean)) problems.push(`${what}: ${line}`)
  } catch (error) {
    problems.push(`${what}: ${error.stderr}`)
  }
}

/** Of what is installed both formats find the thread that makes the checkpoints of SQLite; without it they would work on. */
async function checkThread(folder) {
  const program = `
    const { createRequire } = await import('node:module')
    const require = createRequire(process.cwd() + '/consumer.cjs')
    const Database = require('better-sqlite3')
    const entry = '@kyc-relay/storage-drizzle/sqlite'
    for (const [format, { createSqliteStorage }] of Object.entries({ import: await import(entry), require: require(entry) })) {
      const path = process.cwd() + '/' + format + '.db'
      const storage = await createSqliteStorage({ path })
      const other = new Database(path)
      other.pragma('wal_autocheckpoint = 0')
      other.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (randomblob(50000000))')
      other.close()
      const answered = new Promise((resolve) => process.once('worker', (worker) => worker.once('message', resolve)))
      await storage.apps.revokeGrant({ appId: 'app', userId: 'user' })
      const timer = setTimeout(() => process.exit(1), 30000)
      console.log(format, (await answered).code)
      clearTimeout(timer)
      await storage.close()
    }`
  const file = path.join(folder, 'thread.mjs')
  writeFileSync(file, program)
  const output = await run('checkpoints in a thread', process.execPath, ['--no-warnings', file], folder)
  if (output !== null && output !== 'import null\nrequire null\n') problems.push(`checkpoints in a thread: ${output}`)
}

function checkDataEntries(folder, { manifest }) {
  const require = (entry) => path.join(folder, 'node_modules', manifest.name, entry)
  for (const [key, target] of Object.entries(manifest.exports)) {
    if (typeof target !== 'string') continue
    const found = key.includes('*')
      ? readdirSync(require(path.dirname(target))).filter((file) => file.endsWith(path.extname(target)))
      : [target].filter((file) => existsSync(require(file)))
    if (found.length === 0) problems.push(`${manifest.name}: ${key} finds no file`)
  }
}

async function runCommands(folder, { manifest }) {
  for (const [name, file] of Object.entries(manifest.bin ?? {})) {
    const command = path.join(folder, 'node_modules', manifest.name, file)
    if (!existsSync(command)) {
      problems.push(`${manifest.name}: the tarball holds no ${file}`)
      continue
    }
    const output = await run(`${name} --help`, process.execPath, [command, '--help'], folder)
    if (output !== null && output.trim() === '') problems.push(`${name} --help prints nothing`)
    if (!readFileSync(command, 'utf8').startsWith('#!/usr/bin/env node\n')) problems.push(`${name}: no #! line`)
  }
}

/** The program of docs/embed.md: from an empty folder to a verified delivery. */
async function runProgram(folder) {
  const source = readFileSync(path.join(root, 'examples', 'embed', 'send-webhooks.ts'), 'utf8')
  const { code } = await transform(source, { loader: 'ts', format: 'esm' })
  writeFileSync(path.join(folder, 'send-webhooks.mjs'), code)
  const output = await run('the program of docs/embed.md', process.execPath, ['send-webhooks.mjs'], folder)
  if (output !== null && output !== 'QUEUED WIDGET_DEPOSIT_COMPLETE\n')
    problems.push(`the program of docs/embed.md printed: ${output}`)
}

/** Beside zod 3 a receiver works, and what needs zod 4 says so. */
async function besideOldZod(webhooks) {
  const folder = path.join(workFolder, 'old-zod')
  await install(folder, webhooks, [])
  const zod = path.join(folder, 'node_modules', 'zod')
  mkdirSync(zod)
  writeFileSync(
    path.join(zod, 'package.json'),
    '{ "name": "zod", "version": "3.25.76", "type": "module", "main": "index.js" }',
  )
  writeFileSync(path.join(zod, 'index.js'), 'export const z = { strictObject: () => ({}), string: () => ({}) }')
  await loadEntries(folder, ['@kyc-relay/webhooks'], 'webhooks beside zod 3')
  const program = `await import('@kyc-relay/webhooks/delivery').catch((error) => console.log(error.message))`
  const output = await run('delivery beside zod 3', process.execPath, ['--input-type=module', '-e', program], folder)
  if (output !== null && !output.includes('needs zod 4')) problems.push(`delivery beside zod 3 says: ${output}`)
}

/** A bundled server opens its storage. */
async function checkBundles(folder) {
  const entry = path.join(folder, 'server.mjs')
  writeFileSync(entry, storageServer)
  const external = ['better-sqlite3']
  const bundles = {
    esbuild: (file) =>
      build({
        entryPoints: [entry],
        outfile: file,
        bundle: true,
        platform: 'node',
        format: 'esm',
        external,
        logLevel: 'error',
      }),
    rollup: async (file) => {
      const isOutside = (id) => isBuiltin(id) || /^(?:better-sqlite3|drizzle-orm|zod)/.test(id)
      const resolveId = (id, from) =>
        id.startsWith('@kyc-relay/')
          ? createRequire(from)
              .resolve(id)
              .replace(/\.cjs$/, '.js')
          : null
      const bundle = await rollup({ input: entry, external: isOutside, plugins: [{ name: 'packed', resolveId }] })
      await bundle.write({ file, format: 'esm', inlineDynamicImports: true })
    },
  }
  for (const [name, write] of Object.entries(bundles)) {
    // Away from the packages, beside the driver alone.
    const away = path.join(workFolder, `bundled-${name}`)
    await install(away, [], name === 'esbuild' ? external : [...external, 'drizzle-orm', 'zod'])
    const file = path.join(away, 'server.mjs')
    try {
      await write(file)
    } catch (error) {
      problems.push(`bundled by ${name}: ${error.message}`)
      continue
    }
    const output = await run(`a server bundled by ${name}`, process.execPath, [file, path.join(away, 'kyc')], away)
    if (output !== null && output !== 'opened\n') problems.push(`a server bundled by ${name} printed: ${output}`)
  }
}

/** What a consumer's compiler sees, with the declarations of the packages themselves checked too. */
async function compileConsumer(folder, packages) {
  const entries = packages.flatMap(codeEntries)
  const imports = entries.map(
    (entry, index) => `import * as entry${index} from '${entry}'\nexport const used${index} = entry${index}`,
  )
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'node16',
    target: 'es2022',
    types: ['node'],
  }
  writeFileSync(path.join(folder, 'types.mts'), imports.join('\n'))
  writeFileSync(path.join(folder, 'types.cts'), imports.join('\n'))
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['types.mts', 'types.cts'] }),
  )
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  await run('compiling a consumer', process.execPath, [tsc, '-p', folder], folder)
}

try {
  const packages = await pack()
  if (packages.length > 0) {
    for (const published of packages) {
      checkContent(published)
      await lintPackage(published)
    }
    const everything = path.join(workFolder, 'everything')
    const peers = new Set(
      packages.flatMap(({ manifest }) => Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })),
    )
    for (const { manifest } of packages) peers.delete(manifest.name)
    // webhooks does not list it: it has no peers.
    await install(everything, packages, [...peers.add('zod').add('@types/node')])
    await Promise.all([
      ...packages.map(checkTypes),
      (async () => {
        await loadEntries(everything, packages.flatMap(codeEntries), 'installed together')
        for (const published of packages) {
          checkDataEntries(everything, published)
          await runCommands(everything, published)
        }
        await checkThread(everything)
        await runProgram(everything)
        await checkBundles(everything)
        await compileConsumer(everything, packages)
        // A partner's receiver: the tarball of webhooks and nothing else.
        const webhooks = packages.filter(({ name }) => name === 'webhooks')
        const receiver = path.join(workFolder, 'receiver')
        await install(receiver, webhooks, [])
        await loadEntries(receiver, ['@kyc-relay/webhooks', '@kyc-relay/webhooks/node'], 'webhooks alone')
        await besideOldZod(webhooks)
      })(),
    ])
  }
} finally {
  rmSync(workFolder, { recursive: true, force: true })
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
