import { fileURLToPath } from 'node:url'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInternalApp } from '../../src/operator-api/internal-app.js'
import { internalOperations } from '../../src/operator-api/internal-operations.js'
import { errorCatalogue } from '../../src/http/error-catalogue.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

const unknownId = '00000000-0000-4000-8000-000000000000'
const pathValues: Record<string, string> = { version: '1', side: 'front', reportId: 'unknown' }
const withIds = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => pathValues[name] ?? unknownId)
const event = { appId: unknownId, userId: unknownId, eventType: 'WIDGET_KYC_INITIATION', data: {} }
const transaction = { appId: unknownId, userId: unknownId, data: {} }
const keys = '/apps/{appId}/keys'
const longUrl = `https://photos.example.com/${'x'.repeat(4096)}`

/** Converts the path of a route, `/apps/:appId{…}`, to that of a document, `/apps/{appId}`. */
const pathOf = (route: string) => route.replaceAll(/:(\w+)(?:\{[^/]*\})?/g, '{$1}')

let server: RunningTestServer
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked into, not worked with
let document: any
beforeAll(async () => {
  server = await startTestServer()
  document = (await server.call(`${server.demo.internalUrl}/internal/v1/openapi.json`)).json
})
afterAll(() => server.stop())

const described = () =>
  Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method, path })),
  )

describe('the OpenAPI document of the internal API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>)
    expect([errors ?? [], valid, validator.version]).toEqual([[], true, '3.1'])
  })

  it('describes every route that is served, and no other', () => {
    const unused = new Proxy({}, { get: () => unused }) as never
    const app = createInternalApp(
      new Proxy({ internalToken: null } as never, {
        get: (_target, name) => (name === 'internalToken' ? null : unused),
      }),
    )
    const served = app.routes
      .filter(({ path, method }) => path.startsWith('/internal/v1/') && method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${pathOf(path)}`)
      .filter((route) => !/ \/internal\/v1\/(?:openapi\.json|docs)$/.test(route))
    expect(
      described()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual([...new Set(served)].sort())
  })

  it('says which members each body needs, as the server does', async () => {
    for (const { method, path } of described()) {
      const body = document.paths[path][method].requestBody
      if (body === undefined || body.required !== true) continue
      const schema = body.content['application/json'].schema as { required?: string[] }
      const answer = await server.call(`${server.demo.internalUrl}${withIds(path)}`, {
        method: method.toUpperCase() as 'POST',
        token: server.demo.internalToken,
        body: {},
      })
      if (answer.json.detail !== 'BODY_INVALID') continue
      const missing = (answer.json.violations as { pointer: string; code: string }[])
        .filter(({ code }) => code === 'REQUIRED')
        .map(({ pointer }) => pointer.slice(1))
        // A service names who reveals; an operator does not.
        .filter((name) => name !== 'actor')
      expect([method, path, [...(schema.required ?? [])].sort()]).toEqual([method, path, missing.sort()])
    }
  })

  it.each([
    ['an umlaut in sourceEventId', 'post', '/events', { ...event, sourceEventId: 'Über-1' }, false],
    ['a blank sourceEventId', 'post', '/events', { ...event, sourceEventId: ' ' }, false],
    ['a sourceEventId', 'post', '/events', { ...event, sourceEventId: 'source-1' }, true],
    ['an empty sourceEventId', 'post', '/transactions', { ...transaction, sourceEventId: '' }, false],
    ['an empty reason', 'post', keys, { reason: '' }, false],
    ['a blank reason', 'post', keys, { reason: ' ' }, false],
    ['a line break in a reason', 'post', keys, { reason: 'line\nbreak' }, false],
    ['an empty actor', 'post', keys, { reason: 'lost', actor: '' }, false],
    ['an actor', 'post', keys, { reason: 'lost', actor: 'Ada' }, true],
    ['an empty purpose', 'post', '/verifications/{verificationId}/evidence', { purpose: '' }, false],
    ['a purpose', 'post', '/verifications/{verificationId}/evidence', { purpose: 'ticket 7' }, true],
    ['a long URL', 'put', '/verifications/{verificationId}/photos/{side}', { url: longUrl, reason: 'r' }, false],
  ] as const)('agrees with the server about %s in a body: %s %s', async (_what, method, path, body, isValid) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document as object, 'internal')
    const place = ['paths', `/internal/v1${path}`, method, 'requestBody', 'content', 'application/json', 'schema']
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/')
    const answer = await server.call(`${server.demo.internalUrl}/internal/v1${withIds(path)}`, {
      method: method.toUpperCase() as 'POST',
      token: server.demo.internalToken,
      body,
    })
    expect([answer.json.detail !== 'BODY_INVALID', ajv.validate({ $ref: `internal#/${pointer}` }, body)]).toEqual([
      isValid,
      isValid,
    ])
  })

  it.each([
    ['an unknown id', (name: string) => pathValues[name] ?? unknownId],
    ['an id that is no UUID', () => 'no-uuid'],
  ])('answers %s with a status that is described', async (_what, valueOf) => {
    for (const { method, path } of described()) {
      const answer = await server.call(
        `${server.demo.internalUrl}${path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => valueOf(name))}`,
        {
          method: method.toUpperCase() as 'POST',
          token: server.demo.internalToken,
          body: method === 'get' ? undefined : {},
        },
      )
      const responses = document.paths[path][method].responses
      const statuses = Object.keys(responses as object)
      expect([method, path, statuses]).toEqual([method, path, expect.arrayContaining([String(answer.status)])])
      expect([method, path, answer.headers['cache-control']]).toEqual([method, path, 'no-store'])
      expect([path, responses['400']?.description]).toEqual([path, expect.stringContaining('`UNKNOWN_PARAMETER`')])
    }
  })

  it('refuses an unknown query parameter everywhere, and does not look at the query of an unknown address', async () => {
    for (const { method, path } of described()) {
      const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => pathValues[name] ?? unknownId)
      const { json } = await server.call(`${server.demo.internalUrl}${address}?canary=1`, {
        method: method.toUpperCase() as 'POST',
        token: server.demo.internalToken,
        body: method === 'get' ? undefined : {},
      })
      expect([method, path, json.code]).toEqual([method, path, 'UNKNOWN_PARAMETER'])
    }
    const unknown = `${server.demo.internalUrl}/internal/v1/unknown?canary=1`
    expect(await server.call(unknown, { token: server.demo.internalToken })).toMatchObject({ status: 404 })
  })

  it('describes a refusal with a code of its own by that code, as it is answered', async () => {
    const details = internalOperations.flatMap(({ id, refusals }) => refusals.map(({ detail }) => [id, detail ?? '']))
    expect(details.filter(([, detail = '']) => detail in errorCatalogue)).toEqual([])
    const path = '/internal/v1/users/{userId}/kyc-status'
    const { userId } = server.demo.users[0] ?? { userId: '' }
    const answer = await server.call(`${server.demo.internalUrl}${path.replace('{userId}', userId)}`, {
      body: { expectedStatus: 'PASS', status: 'UNVERIFIED', reason: 'r' },
      token: server.demo.internalToken,
    })
    const described = document.paths[path].post.responses['409'].description as string
    expect([answer.status, described.startsWith(`\`${answer.json.code}\` `)]).toEqual([409, true])
  })

  it('has no finding of the recommended rules of Redocly and Spectral', async () => {
    const configPath = fileURLToPath(new URL('../../../../redocly.yaml', import.meta.url))
    const config = await loadConfig({ configPath })
    const redocly = await lintFromString({ source: JSON.stringify(document), config })
    expect(redocly.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
    const linter = new spectralCore.Spectral()
    linter.setRuleset({ extends: [spectralRulesets.oas as never] })
    const spectral = await linter.run(document as Record<string, unknown>)
    expect(spectral.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)).toEqual([])
  })

  it('is drawn on a page that loads nothing from elsewhere', async () => {
    const page = await server.call(`${server.demo.internalUrl}/internal/v1/docs`)
    expect(page.status).toBe(200)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    for (const [, path] of page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      expect([path, (await server.call(`${server.demo.internalUrl}${path}`)).status]).toEqual([path, 200])
    }
  })
})
