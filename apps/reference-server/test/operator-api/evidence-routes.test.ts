import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { afterAll, expect, it, vi } from 'vitest'
import { serveEvidence, type EvidenceRoutesDeps } from '../../src/evidence/evidence-routes.js'
import { createBodyMemory } from '../../src/http/body-memory.js'
import type { EdgeEnv } from '../../src/http/request-context.js'
import { startTestServer } from '../running-server.js'
import { writeOperatorsFile } from './operators-file.js'

const file = writeOperatorsFile({ Ada: ['evidence'] })
afterAll(() => file.remove())

it('limits how often one operator looks at evidence or duplicates, and no other', async () => {
  const server = await startTestServer({ OPERATORS_FILE: file.path, EVIDENCE_REQUESTS_PER_MINUTE: '3' })
  try {
    const api = `${server.demo.internalUrl}/internal/v1`
    const path = `${api}/verifications/7a000000-0000-4000-8000-000000000001/evidence`
    const look = (token: string) => server.call(path, { body: { purpose: 'p' }, token })
    const list = () => server.call(`${api}/duplicates?appId=${server.demo.apps[0]!.appId}`, { token: file.tokens.Ada })
    const answers = [await look(file.tokens.Ada), await list(), await look(file.tokens.Ada)]
    for (const ask of [list, () => look(file.tokens.Ada)]) answers.push(await ask())
    expect(answers.map(({ status }) => status)).toEqual([404, 200, 404, 429, 429])
    for (const { headers } of answers.slice(3)) expect(headers['retry-after']).toMatch(/^\d+$/)
    expect((await look(server.demo.internalToken)).status).toBe(404)
  } finally {
    await server.stop()
  }
})

const bodyMemory = createBodyMemory(1024)

/** The routes over one photo in a state, for a service. */
function routesWith(state: 'UNAVAILABLE' | 'STORED') {
  const verificationId = randomUUID()
  const wakePhotos = vi.fn()
  const owner = { appId: randomUUID(), userId: randomUUID() }
  const deps = {
    overview: { findOwner: async () => owner },
    verifications: { findVerification: async () => ({ verificationId, result: {}, ssn: null, sections: [] }) },
    photoJobs: {
      listPhotos: async () => [{ photoJobId: 'p', side: 'front', state }],
      replaceUrl: async () => 'replaced',
    },
    corrections: { listCorrections: async () => [] },
    photos: { get: async () => null },
    vault: { tokenize: async () => [{ kind: 'record', sealed: new Uint8Array() }] },
    isPhotoUrl: () => true,
    wakePhotos,
    limits: { take: () => ({ verdict: { allowed: true }, headers: {} }) },
    log: { info: () => undefined },
  } as unknown as EvidenceRoutesDeps
  const app = new Hono<EdgeEnv>()
  app.use((c, next) => (c.set('caller', { kind: 'service' }), next()))
  serveEvidence(app, deps)
  const call = (method: string, body: object) =>
    app.request(
      `/internal/v1/verifications/${verificationId}/photos/front`,
      { method, headers: { 'content-type': 'application/json' } },
      { requestId: 'r', bodyMemory, incoming: Readable.from([Buffer.from(JSON.stringify(body))]) },
    )
  return { call, wakePhotos }
}

it('a new URL wakes the photo worker of this process', async () => {
  const { call, wakePhotos } = routesWith('UNAVAILABLE')
  expect((await call('PUT', { url: 'https://photos.example.com/x', reason: 'sent another' })).status).toBe(204)
  expect(wakePhotos).toHaveBeenCalledTimes(1)
})

it('a photo whose file is gone is not stored: an erasure removes files last', async () => {
  const answer = await routesWith('STORED').call('POST', { purpose: 'p' })
  expect([answer.status, await answer.json()]).toMatchObject([409, { detail: 'PHOTO_NOT_STORED' }])
})
