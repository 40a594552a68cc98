import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as batch from 'kubernetes-models/batch/v1'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import { checkEndpointUrl } from '@kyc-relay/webhooks/https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseEnv, variableNames } from '../../src/env.js'
import { app, makeSecrets, read, root } from './container-files.js'

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec: {
    readonly terminationGracePeriodSeconds?: number
    readonly enableServiceLinks?: boolean
    readonly initContainers: readonly Container[]
    readonly containers: readonly Container[]
    readonly volumes: readonly {
      readonly name: string
      readonly secret?: { readonly secretName: string }
      readonly configMap?: { readonly name: string }
      readonly persistentVolumeClaim?: { readonly claimName: string }
    }[]
  }
}
interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface Resource {
  readonly file: string
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: { readonly template: Pod } & Readonly<Record<string, unknown>>
}

const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  v1: core,
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'batch/v1': batch,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
}
const folder = join(app, 'kubernetes')
// YAML 1.1, as Kubernetes reads it: 0440 is octal.
const resources = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(read(join(folder, file)), { version: '1.1' }).map(
    (document) => ({ file, ...(document.toJS() as object) }) as Resource,
  ),
)
const named = (kind: string, name: string) => {
  const found = resources.find((resource) => resource.kind === kind && resource.metadata.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name}`)
  return found
}
const deployments = resources.filter(({ kind }) => kind === 'Deployment')
const podOf = (resource: Resource): Pod => {
  if (resource.spec === undefined) throw new Error(`${resource.kind} without spec`)
  return resource.spec.template
}
const serverOf = (resource: Resource): Container => {
  const [server] = podOf(resource).spec.containers
  if (server === undefined) throw new Error('no container')
  return server
}

let secrets: string
beforeAll(() => {
  secrets = makeSecrets()
})
afterAll(() => rmSync(secrets, { recursive: true, force: true }))

/** Settings as start.sh passes them on. Files of the secrets are those that make-secrets.sh makes. */
function settingsOf({ env = [], envFrom = [] }: Container): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }) => named('ConfigMap', configMapRef.name).data)
  const all = { ...Object.assign({}, ...maps), ...Object.fromEntries(env.map(({ name, value }) => [name, value])) }
  return Object.fromEntries(
    Object.entries(all as Record<string, string>).map(([name, value]) => {
      if (variableNames.includes(name)) return [name, value]
      const file = value.split('/').at(-1) ?? ''
      return [
        name.replace(/_FILE$/, ''),
        file.endsWith('-key') || file.endsWith('-id') ? file : read(join(secrets, file)).trim(),
      ]
    }),
  )
}

/** Returns the volume that holds a path of a container. */
function volumeOf(path: string, container: Container, { spec }: Pod) {
  const mount = container.volumeMounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`))
  return spec.volumes.find(({ name }) => name === mount?.name)
}

describe('the Kubernetes example', () => {
  it.each(
    resources.map((resource) => [`${resource.file} ${resource.kind} ${resource.metadata.name}`, resource] as const),
  )('fits the schemas: %s', (_, { file: _file, ...resource }) => {
    const Model = schemas[resource.apiVersion]?.[resource.kind] as new (value: object) => { validate(): void }
    expect(() => new Model(resource).validate()).not.toThrow()
    // A schema must be able to refuse.
    expect(() => new Model({ ...resource, metadata: 7 }).validate()).toThrow()
    expect(resource.metadata.namespace).toBe(resource.kind === 'Namespace' ? undefined : 'kyc-relay')
  })

  it('runs every role, each with settings that the server knows', () => {
    const roles = deployments.map((deployment) => {
      const env = settingsOf(serverOf(deployment))
      expect(Object.keys(env).filter((name) => !variableNames.includes(name))).toEqual([])
      const settings = parseEnv(env)
      expect(settings).toMatchObject({ production: true, databases: { migrations: 'require' } })
      expect(settings.role).toBe(deployment.metadata.name)
      return settings.role
    })
    expect(roles.toSorted()).toEqual(['api', 'secure', 'worker'])
  })

  it('starts beside its services, whose addresses Kubernetes puts into the environment', () => {
    const services = resources.filter(({ kind }) => kind === 'Service')
    const links = services.map(({ metadata }) => [`${metadata.name.toUpperCase()}_PORT`, 'tcp://10.96.0.7:443'])
    for (const deployment of deployments) {
      const linked = podOf(deployment).spec.enableServiceLinks === false ? {} : Object.fromEntries(links)
      expect(() => parseEnv({ ...linked, ...settingsOf(serverOf(deployment)) })).not.toThrow()
    }
  })

  it('creates the databases with the passwords that make-secrets.sh makes', () => {
    const page = read(join(root, 'docs/kubernetes.md'))
    const given = [...page.matchAll(/\b([A-Z_]+_PASSWORD)=\$\(cat (secrets\/[a-z-]+)\)/g)].map(([, name, file]) => [
      name,
      file,
    ])
    const asked = [...read(join(app, 'docker/create-databases.sql')).matchAll(/\\getenv \w+ (\w+)/g)].map(
      ([, name = '']) => [name, `secrets/${name.toLowerCase().replaceAll('_', '-')}`],
    )
    expect(given.toSorted()).toEqual(asked.toSorted())
  })

  it('gives each process the secrets that it needs, and no other', () => {
    const mounted = (pod: Pod) => pod.spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []).toSorted()
    const byName = [...deployments, named('Job', 'migrate')].map((one) => [one.metadata.name, mounted(podOf(one))])
    expect(Object.fromEntries(byName)).toEqual({
      api: ['internal-api', 'kyc-relay', 'photos'],
      secure: ['kyc-relay', 'tls'],
      worker: ['kyc-relay', 'photos'],
      migrate: ['database-owners'],
    })
    for (const deployment of deployments) {
      const server = serverOf(deployment)
      const paths = [
        ...(server.env ?? []),
        ...(server.envFrom ?? []).flatMap(({ configMapRef }) =>
          Object.entries(named('ConfigMap', configMapRef.name).data ?? {}).map(([name, value]) => ({ name, value })),
        ),
      ].filter(({ name, value }) => name.endsWith('_FILE') || (name === 'AUDIT_CHECKPOINTS' && value !== ''))
      for (const { name, value } of paths) {
        expect([name, volumeOf(value, server, podOf(deployment))]).not.toEqual([name, undefined])
      }
    }
  })

  it('gives every process that connects to PostgreSQL the certificate authority to verify it', () => {
    const page = read(join(root, 'docs/kubernetes.md'))
    const [, path = ''] = /sslmode=verify-full&sslrootcert=(\/[\w/.-]+)/.exec(page) ?? []
    const file = path.split('/').at(-1) ?? ''
    expect(page).toContain(`create configmap database-ca --from-file=${file}`)
    for (const resource of [...deployments, named('Job', 'migrate')]) {
      const pod = podOf(resource)
      const connecting = [...pod.spec.initContainers, ...pod.spec.containers].filter(({ name }) => name !== 'keys')
      for (const container of connecting) {
        const { name, configMap } = volumeOf(path, container, pod) ?? {}
        expect([resource.metadata.name, container.name, name, configMap]).toEqual([
          ...[resource.metadata.name, container.name],
          ...['database-ca', { name: 'database-ca' }],
        ])
      }
    }
    const [rights] = podOf(named('Job', 'migrate')).spec.containers
    expect(rights?.env).toEqual(
      expect.arrayContaining([
        { name: 'PGSSLMODE', value: 'verify-full' },
        { name: 'PGSSLROOTCERT', value: path },
      ]),
    )
  })

  it('copies the key file, which the server refuses if its group can read it', () => {
    for (const deployment of deployments) {
      const [keys] = podOf(deployment).spec.initContainers
      expect(keys?.command).toEqual([
        'install',
        '-m',
        '0400',
        '/run/secrets/kyc-relay/keys.json',
        '/run/keys/keys.json',
      ])
      expect(settingsOf(serverOf(deployment))['KEY_FILE']).toBe('/run/keys/keys.json')
    }
  })

  it('probes ports that exist, asks /healthz before a restart and /readyz before requests', () => {
    for (const deployment of deployments) {
      const { ports = [], startupProbe, livenessProbe, readinessProbe, ...server } = serverOf(deployment)
      const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path)
      expect([deployment.metadata.name, paths]).toEqual([deployment.metadata.name, ['/healthz', '/healthz', '/readyz']])
      const settings = parseEnv(settingsOf({ ...server }))
      const listens: Record<string, number> = {
        http: settings.port,
        https: settings.securePort,
        operations: settings.internalPort,
      }
      for (const { name, containerPort } of ports) expect([name, listens[name]]).toEqual([name, containerPort])
      const names = ports.map(({ name }) => name)
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) expect(names).toContain(probe?.httpGet.port)
    }
  })

  it('gives attempts in flight their 35 s, and selects the pods that it makes', () => {
    for (const deployment of deployments) {
      const pod = podOf(deployment)
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(40)
      expect(deployment.spec?.['selector']).toEqual({ matchLabels: pod.metadata.labels })
    }
    for (const service of resources.filter(({ kind }) => kind === 'Service')) {
      expect(service.spec?.['selector']).toEqual(podOf(named('Deployment', service.metadata.name)).metadata.labels)
    }
  })

  it('lets pods reach public addresses at every port that an endpoint may have', () => {
    interface Egress {
      readonly ports: readonly { readonly protocol: string; readonly port: number; readonly endPort?: number }[]
    }
    const [egress] = named('NetworkPolicy', 'public-https').spec?.['egress'] as readonly Egress[]
    const isOpen = (asked: number) =>
      egress?.ports.some(
        ({ protocol, port, endPort = port }) => protocol === 'TCP' && port <= asked && asked <= endPort,
      )
    const ports = Array.from({ length: 65_535 }, (_, index) => index + 1)
    const registered = ports.filter((port) => checkEndpointUrl(`https://partner.com:${port}/`).ok)
    expect(registered.length).toBeGreaterThan(60_000)
    expect(registered.filter((port) => isOpen(port) !== true)).toEqual([])
    expect([22, 25, 80].filter((port) => isOpen(port) === true)).toEqual([])
  })

  it('scales workers by a metric that the server has', () => {
    const metrics = read(join(app, 'src/operations/metrics.ts'))
    const [asked] = JSON.stringify(named('HorizontalPodAutoscaler', 'worker')).match(/kyc_relay_\w+/) ?? []
    expect(metrics).toContain(`name: '${asked ?? 'no metric'}'`)
    // The rule of the comment. Otherwise the adapter asks for a label that the rule does not name, and has no answer.
    const comment = /(?<=^# {3})externalRules:\n(?:#.*\n)+/m.exec(read(join(folder, 'autoscaling.yaml')))?.[0] ?? ''
    expect(parse(comment.replaceAll(/^# {3}/gm, ''))).toMatchObject({
      externalRules: [{ seriesQuery: asked, resources: { namespaced: false } }],
    })
  })
})
