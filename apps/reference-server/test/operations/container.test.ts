import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseKeyFile } from '@kyc-relay/kyc-core/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { parseEnv, variableNames } from '../../src/env.js'

const app = fileURLToPath(new URL('../../', import.meta.url))
const root = join(app, '../..')
const start = join(app, 'docker/start.sh')
const read = (path: string) => readFileSync(path, 'utf8')

let secrets: string
beforeAll(() => {
  secrets = mkdtempSync(join(tmpdir(), 'kyc-relay-secrets-'))
  execFileSync(join(app, 'docker/make-secrets.sh'), [secrets])
})
afterAll(() => rmSync(secrets, { recursive: true, force: true }))

interface Service {
  readonly image?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period: string
  readonly restart: string
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

describe('compose.yaml', () => {
  const compose = parse(read(join(app, 'compose.yaml')), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: Readonly<Record<string, unknown>>
    readonly secrets: Readonly<Record<string, { readonly file: string }>>
  }
  const services = Object.entries(compose.services)
  const servers = services.filter(([, { build }]) => build !== undefined)

  it('runs every part of the server, each once, on PostgreSQL that is ready', () => {
    expect(servers.map(([, { environment }]) => environment['ROLE'])).toEqual(['api', 'secure', 'worker'])
    for (const [, server] of servers) expect(server.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(compose.services['postgres']?.healthcheck?.test).toContain('pg_isready')
  })

  it('gives the server settings that it knows and that are whole', () => {
    for (const [, { environment }] of servers) {
      const names = Object.keys(environment).map((name) =>
        variableNames.includes(name) ? name : name.replace(/_FILE$/, ''),
      )
      expect(names.filter((name) => !variableNames.includes(name))).toEqual([])
      const given = Object.entries(environment).map(([name, value]): [string, string] =>
        variableNames.includes(name)
          ? [name, value]
          : [name.replace(/_FILE$/, ''), read(join(secrets, value.replace('/run/secrets/', ''))).trim()],
      )
      expect(parseEnv(Object.fromEntries(given))).toMatchObject({
        production: true,
        databaseUrl: expect.stringMatching(/^postgres:\/\/kyc:[0-9a-f]{64}@postgres:5432\/kyc$/),
        vaultDatabaseUrl: expect.stringMatching(/@postgres:5432\/vault$/),
      })
    }
  })

  it('holds no secret: each comes from a file that make-secrets.sh makes', () => {
    const made = Object.values(compose.secrets).map(({ file }) => file.replace('./secrets/', ''))
    expect(made.filter((file) => !existsSync(join(secrets, file)))).toEqual([])
    for (const [name, service] of services) {
      expect(service.secrets.filter((secret) => !(secret in compose.secrets))).toEqual([])
      const mounted = Object.values(service.environment).filter((value) => value.startsWith('/run/secrets/'))
      const used = mounted.map((path) => path.slice('/run/secrets/'.length)).sort()
      expect([name, used]).toEqual([name, [...service.secrets].sort()])
      const clear = Object.keys(service.environment).filter((key) => /PASSWORD|TOKEN|SECRET|DATABASE_URL/.test(key))
      expect(clear.filter((key) => !key.endsWith('_FILE'))).toEqual([])
    }
  })

  it('gives the private key of the secure endpoint to the process that has that endpoint', () => {
    expect(services.filter(([, { secrets }]) => secrets.includes('tls-key')).map(([name]) => name)).toEqual(['secure'])
  })

  it('opens ports on loopback alone, drops rights, pins versions, and gives attempts their time to end', () => {
    for (const [name, service] of services) {
      const image = service.image ?? ''
      expect([name, /:(?!latest$)[\w.-]+$/.test(image), service.restart]).toEqual([name, true, 'unless-stopped'])
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/)
      expect(Number(/^(\d+)s$/.exec(service.stop_grace_period)?.[1])).toBeGreaterThan(35)
    }
    for (const [, { read_only: readOnly, cap_drop: dropped, security_opt: security }] of servers) {
      expect([readOnly, dropped, security]).toEqual([true, ['ALL'], ['no-new-privileges:true']])
    }
    expect(compose.services['postgres']?.ports).toBeUndefined()
    for (const volume of compose.services['postgres']?.volumes ?? []) {
      const source = volume.split(':')[0] ?? ''
      expect([source, source.startsWith('.') ? existsSync(join(app, source)) : source in compose.volumes]).toEqual([
        source,
        true,
      ])
    }
  })
})

describe('Dockerfile', () => {
  const text = read(join(app, 'Dockerfile')).replaceAll(/\\\n\s*/g, ' ')
  const lines = text.split('\n').filter((line) => /^[A-Z]+ /.test(line))
  const runtime = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  const valuesOf = (instruction: string, of = runtime) =>
    of.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1))

  it('is built on pinned images of a Node that we support', () => {
    const minimum = /^>=(\d+)\.(\d+)/.exec(
      (JSON.parse(read(join(app, 'package.json'))) as { engines: { node: string } }).engines.node,
    )
    for (const from of valuesOf('FROM', lines)) {
      const version = /^node:(\d+)\.(\d+)\.\d+-bookworm(?:-slim)?(?: AS build)?$/.exec(from)
      expect([from, version === null]).toEqual([from, false])
      const [major, minor] = [Number(version?.[1]), Number(version?.[2])]
      expect(major === Number(minimum?.[1]) ? minor >= Number(minimum?.[2]) : major > Number(minimum?.[1])).toBe(true)
    }
  })

  it('copies what is there, installs what is locked, fetches nothing by itself', () => {
    for (const copy of valuesOf('COPY', lines).filter((line) => !line.startsWith('--from=build'))) {
      const sources = copy.split(' ').slice(0, -1)
      expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
    }
    const workspaces = ['packages', 'apps'].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((name) => existsSync(join(root, folder, name, 'package.json')))
        .map((name) => `${folder}/${name}`),
    )
    const runs = valuesOf('RUN', lines).join(' ')
    for (const workspace of workspaces) {
      expect(text).toContain(`COPY ${workspace}/package.json ${workspace}/`)
      expect(runs).toContain(`-w ${workspace}`)
      expect(text).toContain(`COPY --from=build /app/${workspace}/dist ${workspace}/dist`)
    }
    expect(runs).toContain('npm ci')
    expect(text).not.toMatch(/^ADD |curl|wget|sudo|npm (?:i|install) /m)
  })

  it('runs as an ordinary user, without a shell around it, and can be probed', () => {
    expect(valuesOf('USER')).toEqual(['node'])
    expect(valuesOf('ENTRYPOINT')).toEqual(['["/app/apps/reference-server/docker/start.sh"]'])
    expect(valuesOf('HEALTHCHECK')[0]).toContain('CMD ["node", "/app/apps/reference-server/docker/probe.mjs"]')
    expect(valuesOf('STOPSIGNAL')).toEqual(['SIGTERM'])
    expect(valuesOf('EXPOSE')).toEqual(['4000 4443'])
    const settings = Object.fromEntries(
      [...(valuesOf('ENV')[0] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    expect(Object.keys(settings).filter((name) => !variableNames.includes(name))).toEqual([])
    expect(settings['NODE_ENV']).toBe('production')
    for (const script of ['start.sh', 'make-secrets.sh'])
      expect(statSync(join(app, 'docker', script)).mode & 0o111).toBe(0o111)
  })

  it('is sent neither secrets nor data nor built files of this machine', () => {
    const ignored = read(join(app, 'Dockerfile.dockerignore')).split('\n')
    expect(ignored[0]).toBe('**')
    for (const pattern of ['**/node_modules', '**/dist', '**/data', '**/secrets', '**/.env'])
      expect(ignored).toContain(pattern)
  })
})

describe('make-secrets.sh', () => {
  it('makes keys that the server reads, and never replaces one', () => {
    expect(parseKeyFile(read(join(secrets, 'keys.json'))).keys).toHaveLength(2)
    expect(read(join(secrets, '.gitignore')).trim()).toBe('*')
    const before = readdirSync(secrets).map((name) => [name, read(join(secrets, name))])
    execFileSync(join(app, 'docker/make-secrets.sh'), [secrets])
    expect(readdirSync(secrets).map((name) => [name, read(join(secrets, name))])).toEqual(before)
  })
})

describe('start.sh', () => {
  /** Runs the script as the image does, in production, on files. */
  function run(variables: Record<string, string>) {
    const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-container-'))
    const child = spawn(start, [], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        PORT: '0',
        INTERNAL_PORT: '0',
        SECURE_PORT: '0',
        DATA_DIR: dataDir,
        KEY_FILE: join(secrets, 'keys.json'),
        INTERNAL_TOKEN_FILE: join(secrets, 'internal-token'),
        TLS_CERT_FILE: join(secrets, 'tls.pem'),
        TLS_KEY_FILE: join(secrets, 'tls-key.pem'),
        ...variables,
      },
    })
    let output = ''
    const looks = new Set<() => void>()
    const onData = (chunk: Buffer) => {
      output += chunk.toString()
      looks.forEach((look) => look())
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    onTestFinished(() => {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    })
    return {
      child,
      ended,
      output: () => output,
      told: (text: string) =>
        new Promise<void>((resolve, reject) => {
          const look = () => {
            if (output.includes(text)) resolve()
          }
          looks.add(look)
          void ended.then(() => reject(new Error(output)))
          look()
        }),
      dataDir,
    }
  }
  const probe = (port: number) =>
    new Promise<number | null>((resolve) => {
      spawn(process.execPath, [join(app, 'docker/probe.mjs')], { env: { INTERNAL_PORT: String(port) } }).once(
        'close',
        resolve,
      )
    })

  it('reads secrets from files, hands its place to the server, and the server gets the signal', async () => {
    const databaseUrl = join(mkdtempSync(join(tmpdir(), 'kyc-relay-url-')), 'database-url')
    onTestFinished(() => rmSync(join(databaseUrl, '..'), { recursive: true, force: true }))
    writeFileSync(databaseUrl, `file:${join(databaseUrl, '../from-the-file.db')}\n`)
    const server = run({ DATABASE_URL_FILE: databaseUrl })
    await server.told('"msg":"started"')
    expect(existsSync(join(databaseUrl, '../from-the-file.db'))).toBe(true)
    const listening = server
      .output()
      .split('\n')
      .find((line) => line.includes('"listening"') && line.includes('"internal"'))
    const { port } = JSON.parse(listening ?? '{}') as { port: number }
    expect(await probe(port)).toBe(0)
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(await probe(port)).toBe(1)
    expect(server.output()).not.toContain(read(join(secrets, 'internal-token')).trim())
  })

  it.each([
    ['a file that is not there', { INTERNAL_TOKEN_FILE: '/nowhere/canary' }, 'INTERNAL_TOKEN_FILE'],
    ['a setting given twice', { INTERNAL_TOKEN: 'canary-canary-canary' }, 'INTERNAL_TOKEN'],
  ])('refuses %s by name', async (_name, variables, told) => {
    const server = run(variables)
    expect(await server.ended).toBe(78)
    expect(server.output()).toContain(told)
    expect(server.output()).not.toContain('canary')
  })
})
