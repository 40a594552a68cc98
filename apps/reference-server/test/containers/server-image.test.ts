import { spawnSync } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { app, makeSecrets, read, root } from './container-files.js'
import { runStartScript } from './start-script.js'

// The files of the image as its Dockerfile copies them, from this checkout and its build.
let image: string
let secrets: string
beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), 'kyc-relay-image-'))
  secrets = makeSecrets()
  const text = read(join(app, 'Dockerfile')).replaceAll(/\\\n\s*/g, ' ')
  const runtime = text.slice(text.lastIndexOf('\nFROM '))
  for (const [, copied = ''] of runtime.matchAll(/^COPY (?:--from=build )?(.*)$/gm)) {
    const paths = copied.split(' ').map((path) => path.replace(/^\/app\//, ''))
    const target = paths.at(-1) ?? ''
    for (const source of paths.slice(0, -1)) {
      if (source === 'node_modules') linkModules()
      else {
        const to = join(image, target.endsWith('/') ? join(target, source.split('/').at(-1) ?? '') : target)
        cpSync(join(root, source), to, { recursive: true })
      }
    }
  }
})
afterAll(() => {
  for (const folder of [image, secrets]) rmSync(folder, { recursive: true, force: true })
})

/** Packages of the registry as they are here; our own lead, relative as npm links them, into the image. */
function linkModules(): void {
  const link = (name: string) => {
    const here = join(root, 'node_modules', name)
    const there = join(image, 'node_modules', name)
    mkdirSync(dirname(there), { recursive: true })
    symlinkSync(lstatSync(here).isSymbolicLink() ? readlinkSync(here) : here, there)
  }
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => !one.startsWith('.'))) {
    if (!name.startsWith('@')) link(name)
    else for (const scoped of readdirSync(join(root, 'node_modules', name))) link(`${name}/${scoped}`)
  }
}

it('holds all that the server, its probe, the audit command and the migrations need', async () => {
  const script = join(image, 'apps/reference-server/docker/start.sh')
  const server = runStartScript(script, secrets, { ROLE: 'all' })
  const port = await server.internalPort()
  const probe = spawnSync(process.execPath, [join(image, 'apps/reference-server/docker/probe.mjs')], {
    env: { INTERNAL_PORT: String(port) },
  })
  expect(probe.status).toBe(0)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)

  const env = { ...server.env, DATABASE_URL: `file:${server.dataDir}/kyc.db`, VAULT_DATABASE_URL: '' }
  const audit = spawnSync(script, ['audit', 'verify', '--json'], { env, encoding: 'utf8' })
  expect([audit.status, audit.stderr]).toEqual([0, ''])
  const migrate = spawnSync(script, ['migrate', 'status'], { env, encoding: 'utf8' })
  // The tables of the stores, and those of the server.
  expect([migrate.status, migrate.stdout]).toEqual([
    0,
    'applied  0001_create_tables (kyc_relay_)\napplied  0001_create_tables (portal_)\n',
  ])
})
