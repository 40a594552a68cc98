import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { variableNames } from '../../src/env.js'
import { app, read, root } from './container-files.js'

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
    const images = valuesOf('ARG', lines.slice(0, 2)).map((argument) => argument.split('='))
    expect(valuesOf('FROM', lines)).toEqual(images.map(([name], at) => `\${${name}}${at === 0 ? ' AS build' : ''}`))
    for (const [, image = ''] of images) {
      const version = /^docker\.io\/library\/node:(\d+)\.(\d+)\.\d+-bookworm(?:-slim)?@sha256:[0-9a-f]{64}$/.exec(image)
      expect([image, version === null]).toEqual([image, false])
      const [major, minor] = [Number(version?.[1]), Number(version?.[2])]
      expect(major === Number(minimum?.[1]) ? minor >= Number(minimum?.[2]) : major > Number(minimum?.[1])).toBe(true)
    }
    // It would be fetched by its name alone.
    expect(read(join(app, 'Dockerfile'))).not.toMatch(/^#\s*syntax\s*=/im)
  })

  it('copies what is there, installs what is locked, fetches nothing by itself', () => {
    for (const copy of valuesOf('COPY', lines).filter((line) => !line.startsWith('--from=build'))) {
      const sources = copy.split(' ').slice(0, -1)
      expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
    }
    const workspaces = ['packages', 'apps'].flatMap((folder) =>
      readdirSync(join(root, folder))
        // The server does not run the conformance checks.
        .filter((name) => name !== 'conformance' && existsSync(join(root, folder, name, 'package.json')))
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
    // By number, as runAsNonRoot of Kubernetes needs it.
    expect(valuesOf('USER')).toEqual(['1000:1000'])
    expect(valuesOf('ENTRYPOINT')).toEqual(['["/app/apps/reference-server/docker/start.sh"]'])
    expect(valuesOf('HEALTHCHECK')[0]).toContain('CMD ["node", "/app/apps/reference-server/docker/probe.mjs"]')
    expect(valuesOf('STOPSIGNAL')).toEqual(['SIGTERM'])
    expect(valuesOf('EXPOSE')).toEqual(['4000 4443 4001'])
    const settings = Object.fromEntries(
      [...(valuesOf('ENV')[0] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    expect(Object.keys(settings).filter((name) => !variableNames.includes(name))).toEqual([])
    expect(settings['NODE_ENV']).toBe('production')
    for (const script of ['start.sh', 'start-postgres.sh', 'make-secrets.sh'])
      expect(statSync(join(app, 'docker', script)).mode & 0o111).toBe(0o111)
  })

  it('is sent neither secrets nor data nor built files of this machine', () => {
    const ignored = read(join(root, '.dockerignore')).split('\n')
    expect(ignored[0]).toBe('**')
    for (const pattern of ['**/node_modules', '**/dist', '**/data', '**/secrets', '**/.env'])
      expect(ignored).toContain(pattern)
  })

  it('makes the folders of its volumes writable for whoever owns the secrets', () => {
    const compose = parse(read(join(app, 'compose.yaml')), { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly build?: unknown; readonly volumes?: readonly string[] }>>
    }
    const targets = Object.values(compose.services)
      .filter(({ build }) => build !== undefined)
      .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[1]))
    const [, made = ''] = /install -d -o node -g node -m 1777 (.*)$/m.exec(valuesOf('RUN').join('\n')) ?? []
    expect(made.split(' ').sort()).toEqual([...new Set(targets)].sort())
  })

  it('installs everything that runs into the folder that is copied: no workspace has modules of its own', () => {
    const { packages } = JSON.parse(read(join(root, 'package-lock.json'))) as {
      packages: Readonly<Record<string, { readonly dev?: boolean }>>
    }
    const nested = Object.entries(packages).filter(
      ([path, { dev }]) => /^(?:apps|packages)\/.*node_modules/.test(path) && !dev,
    )
    expect(nested).toEqual([])
  })
})
