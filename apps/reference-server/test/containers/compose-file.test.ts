import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseEnv, variableNames } from '../../src/env.js'
import { app, makeSecrets, read } from './container-files.js'

let secrets: string
beforeAll(() => {
  secrets = makeSecrets()
})
afterAll(() => rmSync(secrets, { recursive: true, force: true }))

interface Service {
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly image?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly user?: string
  readonly tmpfs?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period: string
  readonly restart: string
  readonly healthcheck?: { readonly test?: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

/** Settings as start.sh passes them on: files replaced by what they hold. */
function settingsOf(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) =>
      variableNames.includes(name)
        ? [name, value]
        : [name.replace(/_FILE$/, ''), read(join(secrets, value.replace('/run/secrets/', ''))).trim()],
    ),
  )
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

describe('compose.yaml', () => {
  const compose = parse(read(join(app, 'compose.yaml')), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: Readonly<Record<string, unknown>>
    readonly secrets: Readonly<Record<string, { readonly file: string }>>
  }
  const services = Object.entries(compose.services)
  const servers = services.filter(([, { environment }]) => environment['ROLE'] !== undefined)
  const oneShots = ['migrate', 'rights']

  it('runs every part of the server, each once, on databases that are migrated and whose rights are granted', () => {
    expect(servers.map(([, { environment }]) => environment['ROLE'])).toEqual(['api', 'secure', 'worker'])
    const ended = { condition: 'service_completed_successfully' }
    for (const [, server] of servers) expect(server.depends_on).toEqual({ rights: ended })
    const { migrate, rights, postgres } = compose.services
    expect(rights?.depends_on).toEqual({ migrate: ended })
    expect(migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(migrate?.command?.join()).toMatch(/migrate up && .*migrate up --vault/)
    expect(rights?.image).toBe(postgres?.image)
    const test = postgres?.healthcheck?.test ?? []
    // Its socket answers while the databases are still being made.
    expect(test).toEqual(expect.arrayContaining(['pg_isready', '--host=127.0.0.1']))
  })

  it('asks each process for its health, since an OCI image does not say how', () => {
    const probe = read(join(app, 'Dockerfile')).match(/^HEALTHCHECK .*CMD (\[.*\])$/m)?.[1] ?? '[]'
    for (const [, { healthcheck }] of servers)
      expect(healthcheck?.test).toEqual(['CMD', ...(JSON.parse(probe) as string[])])
  })

  it('gives the server settings that it knows and that are whole', () => {
    for (const [, { environment }] of servers) {
      const names = Object.keys(environment).map((name) =>
        variableNames.includes(name) ? name : name.replace(/_FILE$/, ''),
      )
      expect(names.filter((name) => !variableNames.includes(name))).toEqual([])
      expect(parseEnv(settingsOf(environment))).toMatchObject({
        production: true,
        databases: { migrations: 'require' },
        databaseUrl: expect.stringMatching(/^postgres:\/\/kyc_app:[0-9a-f]{64}@postgres:5432\/kyc$/),
        vaultDatabaseUrl: expect.stringMatching(/^postgres:\/\/vault_app:[0-9a-f]{64}@postgres:5432\/vault$/),
      })
    }
  })

  it('gives each process the secrets that its role needs, and no other', () => {
    const all = ['database-url', 'vault-database-url', 'keys', 'metrics-token']
    expect(Object.fromEntries(services.map(([name, { secrets }]) => [name, secrets]))).toEqual({
      postgres: ['postgres-password', 'kyc-password', 'vault-password', 'kyc-app-password', 'vault-app-password'],
      migrate: ['database-owner-url', 'vault-database-owner-url'],
      rights: ['kyc-password', 'vault-password'],
      api: expect.arrayContaining([...all, 'internal-token']) as string[],
      secure: expect.arrayContaining([...all, 'tls-certificate', 'tls-key']) as string[],
      worker: expect.arrayContaining(all) as string[],
    })
    expect(servers.map(([, { secrets }]) => secrets.length)).toEqual([5, 6, 4])
    // Without any one of them the settings are refused, or are those of another database or without metrics.
    for (const [, { environment }] of servers) {
      for (const name of Object.keys(environment).filter(
        (key) => key.endsWith('_FILE') && key !== 'METRICS_TOKEN_FILE',
      )) {
        const { [name]: _left, ...others } = environment
        const settings = attempt(() => parseEnv(settingsOf(others)))
        expect([name, settings?.databaseUrl, settings?.vaultDatabaseUrl]).not.toEqual([
          name,
          expect.stringMatching(/\/kyc$/),
          expect.stringMatching(/\/vault$/),
        ])
      }
    }
  })

  it('keeps photos and audit checkpoints on volumes: what one process stores the others find, after a restart too', () => {
    const volumeOf = (path: string, { volumes = [] }: Service) =>
      volumes
        .map((volume) => volume.split(':'))
        .find(([, target = '']) => path.startsWith(`${target}/`))
        ?.at(0)
    const photos = new Map<string, unknown>()
    for (const [name, service] of servers) {
      expect([name, service.tmpfs]).toEqual([name, ['/tmp']])
      for (const volume of service.volumes ?? []) expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '')
      const { photoStorage, auditCheckpoints, role } = parseEnv(settingsOf(service.environment))
      if (role === 'secure')
        expect([service.volumes, service.environment['PHOTO_STORAGE']]).toEqual([undefined, undefined])
      else if (photoStorage.kind === 'directory')
        photos.set(name, [volumeOf(photoStorage.folder, service), photoStorage.folder])
      if (role === 'worker') expect(volumeOf(auditCheckpoints, service)).toBe('audit')
    }
    expect(Object.fromEntries(photos)).toEqual({ api: ['data', '/data/photos'], worker: ['data', '/data/photos'] })
    expect(services.filter(([, { volumes = [] }]) => volumes.some((one) => one.startsWith('audit:')))).toHaveLength(1)
  })

  it('runs the server as the owner of the secrets, whose mode keeps everybody else out', () => {
    const user = /^USER (\S+)$/m.exec(read(join(app, 'Dockerfile')))?.[1] ?? ''
    for (const [, server] of servers) expect(server.user).toBe(`\${KYC_RELAY_USER:-${user}}`)
    for (const { file } of Object.values(compose.secrets))
      expect([file, statSync(join(secrets, file.replace('./secrets/', ''))).mode & 0o777]).toEqual([file, 0o600])
  })

  it('serves metrics and probes of processes without an API to its network, and no internal API', () => {
    for (const [name, service] of servers) {
      const { operationsHost, metricsToken } = parseEnv(settingsOf(service.environment))
      expect([name, operationsHost]).toEqual([name, name === 'api' ? null : '0.0.0.0'])
      expect(metricsToken).not.toBeNull()
      expect((service.ports ?? []).join()).not.toContain('4001')
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
      const pinned = service.build === undefined ? /^docker\.io\/library\/\w+:[\w.-]+@sha256:[0-9a-f]{64}$/ : /:local$/
      expect([name, pinned.test(image), service.restart]).toEqual([
        name,
        true,
        oneShots.includes(name) ? 'no' : 'unless-stopped',
      ])
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/)
      expect(Number(/^(\d+)s$/.exec(service.stop_grace_period)?.[1])).toBeGreaterThan(35)
    }
    const restricted = services.filter(([name]) => name !== 'postgres')
    for (const [, { read_only: readOnly, cap_drop: dropped, security_opt: security }] of restricted) {
      expect([readOnly, dropped, security]).toEqual([true, ['ALL'], ['no-new-privileges:true']])
    }
    expect(compose.services['postgres']?.ports).toBeUndefined()
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes)
    for (const volume of mounts) {
      const source = volume.split(':')[0] ?? ''
      expect([source, source.startsWith('.') ? existsSync(join(app, source)) : source in compose.volumes]).toEqual([
        source,
        true,
      ])
    }
  })
})
