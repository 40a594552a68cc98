import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { createOperatorClient, signInOperator } from '../portal/portal-client.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'
import { samplePhoto } from './photo-samples.js'

const mark = 'CANARY-OF-A-PHOTO'
const query = '?signature=canary-of-a-photo-url'
let server: RunningTestServer
let host: LocalReceiver
beforeAll(async () => {
  server = await startTestServer()
  host = await startReceiver(server.demo)
})
afterAll(async () => {
  await host.close()
  await server.stop()
})

const user = () => {
  const found = server.demo.users[0]
  if (found === undefined) throw new Error('the demo has users')
  return found
}

function jobs(): readonly { side: string; state: string; sealed_url: Buffer | null; attempts_made: number }[] {
  const database = new Database(join(server.dataDir, 'kyc.db'), { readonly: true })
  const found = database.prepare('SELECT side, state, sealed_url, attempts_made FROM kyc_relay_photo_jobs').all()
  database.close()
  return found as ReturnType<typeof jobs>
}

const storedPhotos = () => [...server.files().keys()].filter((name) => name.startsWith('photos/'))

it('a submitted photo is fetched, sealed and kept, its URL forgotten; erasing the user removes it', async () => {
  host.answer(`/front${query}`, { status: 302, headers: { location: '/cdn/front' } })
  // The host calls it what it likes: the first bytes count.
  host.answer('/cdn/front', { status: 200, headers: { 'content-type': 'text/html' }, body: samplePhoto(mark) })
  host.answer(`/back${query}`, { status: 410 })
  const photos = { front: host.url(`/front${query}`), back: host.url(`/back${query}`) }
  const document = {
    verificationId: 'doc-1',
    status: 'PASSED',
    documentClass: 'PASSPORT',
    documentNumber: 'X9Y8Z7W6',
    issuingCountryCode: 'US',
    photos,
  }
  const ssn = { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' }
  const variables = submissionVariables({ verifications: { ssn, document } })
  const answer = await server.graphql('secure', { query: submissionDocument, variables })
  expect(answer.json.data.postKycVerification).toMatchObject({ status: 'VERIFIED' })

  await expect
    .poll(() =>
      jobs()
        .map(({ state }) => state)
        .sort(),
    )
    .toEqual(['STORED', 'UNAVAILABLE'])
  expect(jobs()).toEqual([
    { side: 'front', state: 'STORED', sealed_url: null, attempts_made: 1 },
    { side: 'back', state: 'UNAVAILABLE', sealed_url: null, attempts_made: 1 },
  ])
  const asked = await server.graphql('api', {
    query: `{ kycVerifications(first: 1) { nodes { photos {
      side state attemptsMade nextAttemptAt lastFailure endedAt } } } }`,
  })
  const ended = { attemptsMade: 1, nextAttemptAt: null, endedAt: expect.stringMatching(/^20.*Z$/) as string }
  expect(asked.json.data.kycVerifications.nodes).toEqual([
    {
      photos: [
        { side: 'front', state: 'STORED', ...ended, lastFailure: null },
        { side: 'back', state: 'UNAVAILABLE', ...ended, lastFailure: 'HTTP_STATUS' },
      ],
    },
  ])

  const browser = createOperatorClient(server)
  await signInOperator(browser, server.demo.operatorToken)
  const { verificationId } = answer.json.data.postKycVerification as { verificationId: string }
  const page = await browser.get(`/portal/kyc/${user().appId}/${user().userId}/${verificationId}`)
  expect(page.text).toMatch(
    />front<.*?<span class="state good">.*?Stored.*?>back<.*?<span class="state bad">.*?Unavailable/s,
  )

  const [name = '', ...others] = storedPhotos()
  expect(others).toEqual([])
  expect(statSync(join(server.dataDir, name)).mode & 0o777).toBe(0o600)
  expect(statSync(join(server.dataDir, name)).size).toBeGreaterThan(20_000)

  const canaries = [mark, Buffer.from(mark).toString('base64').slice(2, -3), 'canary-of-a-photo-url']
  const magic = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
  for (const [file, bytes] of server.files()) {
    for (const canary of [...canaries, user().userId.replaceAll('-', '')])
      expect(`${file}: ${bytes.includes(canary)}`).toBe(`${file}: false`)
  }
  expect(server.files().get(name)?.includes(magic)).toBe(false)
  expect(server.logLines.filter((line) => /canary/i.test(line))).toEqual([])

  const metrics = await server.call(`${server.demo.apiUrl}/metrics`)
  expect(metrics.text).toContain('kyc_relay_photos_total{state="STORED",cause="NONE"} 1')
  expect(metrics.text).toContain('kyc_relay_photos_total{state="UNAVAILABLE",cause="HTTP_STATUS"} 1')

  const erase = () =>
    server.call(`${server.demo.internalUrl}/internal/v1/users/${user().userId}/pii`, {
      method: 'DELETE',
      token: server.demo.internalToken,
      body: { purpose: 'request of the user' },
    })
  expect((await erase()).json.apps).toMatchObject([{ photosErased: 1 }])
  expect(storedPhotos()).toEqual([])
  expect(jobs().map(({ state }) => state)).toEqual(['ERASED', 'ERASED'])
  expect((await erase()).json.apps).toMatchObject([{ photosErased: 0 }])
})
