import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internalOperations } from '../../src/operator-api/internal-operations.js'
import { routePath, type OperationShape } from '../../src/webhooks-api/operation.js'
import { webhookOperations } from '../../src/webhooks-api/webhook-operations.js'
import { createWebhookRoutes } from '../../src/webhooks-api/webhook-routes.js'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import {
  startTestServer,
  submissionDocument,
  submissionVariables,
  type Answer,
  type CallOptions,
  type RunningTestServer,
} from '../running-server.js'

let server: RunningTestServer
let receiver: LocalReceiver
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked into, not worked with
let document: any
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
  document = (await server.call(`${server.demo.apiUrl}/api/v1/openapi.json`)).json
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>)
    expect(errors ?? []).toEqual([])
    expect([valid, validator.version]).toEqual([true, '3.1'])
  })

  it('is checked by a validator that can fail', async () => {
    const broken = structuredClone(document)
    broken.paths['/api/v1/webhooks'].get.responses['200'].content = 'canary'
    expect((await new Validator().validate(broken as Record<string, unknown>)).valid).toBe(false)
  })

  it('refers to nothing that is not in it, and holds no schema that nothing refers to', () => {
    const text = JSON.stringify(document)
    const referred = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    expect([...referred].sort()).toEqual(Object.keys(document.components.schemas as object).sort())
  })

  it('describes every operation that is served, and serves every one it describes', async () => {
    const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(described.sort()).toEqual(
      Object.values(webhookOperations)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    )
    for (const { method, path } of Object.values(webhookOperations)) {
      const call = (token: string | null) =>
        server.call(`${server.demo.apiUrl}${path.replaceAll(/\{\w+\}/g, unknownId)}`, {
          method: method.toUpperCase() as 'GET',
          token,
          body: method === 'post' ? {} : undefined,
        })
      expect([path, (await call(null)).status]).toEqual([path, 401])
      const answer = await call(server.demo.apps[1]?.apiKey ?? null)
      const responses = document.paths[path][method].responses
      expect([path, Object.keys(responses as object)]).toEqual([path, expect.arrayContaining([String(answer.status)])])
      expect([path, responses['400']?.description]).toEqual([path, expect.stringContaining('`UNKNOWN_PARAMETER`')])
    }
  })

  it('describes every route of the API: what is not listed would ask for no key', () => {
    const unused = new Proxy(() => unused, { get: (_target, name) => (name === 'names' ? [] : unused) }) as never
    const listed = Object.values(webhookOperations).map(
      ({ method, path }) => `${method.toUpperCase()} ${routePath(path)}`,
    )
    const catalogue = { offered: [], names: [] }
    const routes = createWebhookRoutes(
      new Proxy({} as never, { get: (_, name) => (name === 'catalogue' ? catalogue : unused) }),
    )
    const served = routes.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
    expect([...new Set(served)].sort()).toEqual(listed.sort())
  })

  it('lets no request name an app: the key does', () => {
    const named = Object.values<OperationShape>(webhookOperations).flatMap(({ id, query, body }) =>
      [query, body].some((schema) => schema !== undefined && 'appId' in schema.shape) ? [id] : [],
    )
    expect(named).toEqual([])
  })

  it('names the schema of every answer, so that a field that it lacks is found below', () => {
    const unnamed = Object.values(webhookOperations).flatMap(({ id, method, path }) =>
      Object.entries(document.paths[path][method].responses as Record<string, { content?: object }>)
        .flatMap(([status, { content = {} }]) =>
          Object.entries(content).map(([type, { schema }]) => ({ status, type, schema })),
        )
        .filter(({ type, schema }) => type.includes('json') && schema.$ref === undefined)
        .map(({ status }) => `${id} ${status}`),
    )
    expect(unnamed).toEqual([])
  })

  it('says of every query and body how an invalid one is refused', () => {
    const lacking = [...Object.values(webhookOperations), ...internalOperations].flatMap(
      (operation: OperationShape) => {
        const { id, query, body, refusals } = operation
        const details = new Set(refusals.map(({ detail }) => detail))
        return [
          query === undefined || details.has('QUERY_INVALID') ? [] : [`${id} QUERY_INVALID`],
          body === undefined || details.has('BODY_INVALID') ? [] : [`${id} BODY_INVALID`],
        ].flat()
      },
    )
    expect(lacking).toEqual([])
    const { '400': refusal } = document.paths['/api/v1/webhooks'].post.responses
    expect(refusal.description).toContain('`LIMIT_EXCEEDED` The body has too many values')
  })

  it('says what the server answers, and shows another app nothing of it', async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'document', ...document })
    const answered = new Set<string>()
    const call = async (id: keyof typeof webhookOperations, options: CallOptions & { params?: string } = {}) => {
      const { method, path } = webhookOperations[id]
      const params = options.params?.split('/') ?? []
      const filled = path.replaceAll(/\{\w+\}/g, () => params.shift() ?? '')
      const answer = await server.call(`${server.demo.apiUrl}${filled}`, {
        method: method.toUpperCase() as 'GET',
        token: server.demo.apps[0]?.apiKey ?? null,
        ...options,
      })
      if (method === 'get' && answer.status === 200 && !read.has(filled)) await readByOther(path, filled, answer)
      check(id, answer)
      return answer.json
    }
    const read = new Set<string>()
    const readByOther = async (path: string, filled: string, { text }: Answer) => {
      read.add(filled)
      const other = await server.call(`${server.demo.apiUrl}${filled}`, { token: server.demo.apps[1]?.apiKey ?? null })
      expect([path, other.status]).toEqual([path, path.includes('Id}') ? 404 : 200])
      const ids = new Set(text.match(/[\da-f]{8}-[\da-f-]{27}/g))
      // An answer without an id could not show that it is the app's own. Those about keys have none.
      expect([path, ids.size > 0]).toEqual([path, !path.endsWith('/keys')])
      expect([path, [...ids].filter((id) => other.text.includes(id))]).toEqual([path, []])
    }
    const check = (id: keyof typeof webhookOperations, answer: Answer) => {
      answered.add(`${id} ${answer.status}`)
      const { method, path } = webhookOperations[id]
      const response = document.paths[path][method].responses[answer.status]
      expect([id, answer.status, response]).toEqual([id, answer.status, expect.any(Object)])
      if (answer.text === '') return expect(response.content).toBeUndefined()
      const [[type, { schema }]] = Object.entries(response.content as Record<string, { schema: object }>) as [
        [string, { schema: object }],
      ]
      expect(String(answer.headers['content-type'])).toContain(type)
      const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
      const valid = ajv.validate(inDocument, answer.json)
      expect([id, ajv.errors ?? [], valid]).toEqual([id, [], true])
      const named = document.components.schemas[String(inDocument.$ref).split('/').at(-1) ?? '']
      if (named?.properties) {
        expect(Object.keys(named.properties as object)).toEqual(
          expect.arrayContaining(Object.keys(answer.json as object)),
        )
      }
    }

    const { accessToken, appId, userId } = server.demo.users[0]!
    const made = await call('registerEndpoint', { body: { url: receiver.url('/described'), standardWebhooks: true } })
    await call('registerEndpoint', { body: { url: 'http://partner.com' } })
    await call('registerEndpoint', { body: 'not json' })
    await call('registerEndpoint', { body: '{}', headers: { 'content-type': 'text/plain' } })
    await call('listEndpoints')
    await call('listEndpoints', { token: null })
    await call('getEndpoint', { params: made.id })
    await call('getEndpoint', { params: unknownId })
    await call('sendTestEvent', { params: made.id, body: { dryRun: true } })
    receiver.answer('/described', 500)
    const sent = await call('sendTestEvent', { params: made.id })
    const deliveryId = sent.deliveries[0].deliveryId as string
    await call('getDelivery', { params: deliveryId })
    await receiver.arrived('/described', 2)
    for (
      let looks = 0;
      looks < 500 && (await call('getDelivery', { params: deliveryId })).status === 'PENDING';
      looks += 1
    )
      await new Promise((resolve) => setTimeout(resolve, 20))
    await call('listDeliveries')
    await call('resendDelivery', { params: deliveryId })
    await server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      token: server.demo.internalToken,
      body: { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 1 } },
    })
    expect((await call('readFeed')).items).toHaveLength(1)
    const recovery = { since: '2026-01-01T00:00:00.000Z', dryRun: true }
    await call('recoverEndpoint', { params: made.id, body: recovery })
    const { recoveryId } = await call('recoverEndpoint', { params: made.id, body: { ...recovery, dryRun: false } })
    await call('getRecovery', { params: `${made.id}/${recoveryId}` })
    await call('stopRecovery', { params: `${made.id}/${recoveryId}` })
    await call('pauseEndpoint', { params: made.id })
    await call('resumeEndpoint', { params: made.id })
    const replaced = await call('replaceEndpoint', { params: made.id, body: { url: receiver.url('/replaced') } })
    const submission = { query: submissionDocument, variables: submissionVariables() }
    await server.graphql('secure', submission, { token: accessToken })
    expect((await call('listVerifications')).items).toHaveLength(1)
    await call('rotateKey')
    await call('rotateKey')
    await call('listKeys')
    await call('dryRunKeyRotation', { body: { endpointId: replaced.id } })
    await call('dryRunKeyRotation', { body: {} })
    await call('revokeKey', { params: '999' })
    await call('discardKey')
    await call('discardKey')
    const { apiKey } = await call('rotateKey')
    await call('activateKey')
    await call('activateKey')
    await call('removeEndpoint', { params: replaced.id, token: apiKey })
    await call('removeEndpoint', { params: replaced.id, token: apiKey })
    await call('activateKey', { token: apiKey })
    await call('revokeKey', { params: '1', token: apiKey })
    const succeeds = Object.values(webhookOperations).flatMap(({ id, answers }) =>
      Object.keys(answers).map((status) => `${id} ${status}`),
    )
    expect([...answered]).toEqual(expect.arrayContaining(succeeds))
  })
})

const unknownId = '00000000-0000-4000-8000-000000000000'

describe('the documentation page', () => {
  it('loads nothing from elsewhere, allows no inline script, and may be framed by nobody', async () => {
    const page = await server.call(`${server.demo.apiUrl}/api/v1/docs`)
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8'])
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    expect(page.text).not.toMatch(/<style|style="|<script>|\son\w+="/)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.headers['content-security-policy']).toContain("script-src 'self';")
    expect(page.headers['content-security-policy']).not.toContain('unsafe')
    for (const [, path] of page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      expect([path, (await server.call(`${server.demo.apiUrl}${path}`)).status]).toEqual([path, 200])
    }
  })

  it('gets its script compressed where the browser asks for that', async () => {
    const address = `${server.demo.apiUrl}/assets/redoc.js`
    const load = (encoding: string) => fetch(address, { headers: { 'accept-encoding': encoding } })
    const [plain, gzip] = await Promise.all([load('identity'), load('gzip, br')])
    for (const encoding of ['gzip;q=0', 'br, GZIP ; Q=0.000', 'x-not-gzip', ''])
      expect([encoding, (await load(encoding)).headers.get('content-encoding')]).toEqual([encoding, null])
    for (const encoding of ['gzip;q=0.5, *;q=0', 'br;q=1.0,GZIP;q=1'])
      expect([encoding, (await load(encoding)).headers.get('content-encoding')]).toEqual([encoding, 'gzip'])
    expect([plain.headers.get('content-encoding'), gzip.headers.get('content-encoding')]).toEqual([null, 'gzip'])
    expect(gzip.headers.get('vary')).toBe('Accept-Encoding')
    expect(await gzip.text()).toBe(await plain.text())
  })
})
