import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import pg from 'pg'
import Database from 'better-sqlite3'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { samplePhoto } from '../photos/photo-samples.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'
import { writeOperatorsFile } from './operators-file.js'

const file = writeOperatorsFile({ Ada: ['evidence'], Eve: ['read', 'reveal', 'correct', 'erase', 'keys'] })
afterAll(() => file.remove())

const canary = 'CANARY-OF-EVIDENCE'
const document = {
  verificationId: 'doc-1',
  status: 'PASSED',
  documentClass: 'PASSPORT',
  documentNumber: 'X9Y8Z7W6',
  issuingCountryCode: 'US',
  checks: [{ name: 'document_expired', status: 'FAILED', reasons: [`${canary} expired yesterday`] }],
}
const ssn = { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' }

describe.each(['sqlite', 'postgres'] as const)('evidence on %s', (engine) => {
  let server: RunningTestServer
  let host: LocalReceiver
  let postgres: PostgresServer | null = null
  /** Runs SQL in the vault as somebody who got at the database would. */
  let sql: (text: string) => Promise<readonly Record<string, unknown>[]>

  beforeAll(async () => {
    const settings: Record<string, string> = { OPERATORS_FILE: file.path, EVIDENCE_REQUESTS_PER_MINUTE: '1000' }
    if (engine === 'postgres') {
      postgres = await startPostgres()
      settings['DATABASE_URL'] = await postgres.createDatabase()
    }
    server = await startTestServer(settings)
    host = await startReceiver(server.demo)
    sql = async (text) => {
      if (engine === 'sqlite') {
        const database = new Database(`${server.dataDir}/vault.db`)
        const statement = database.prepare(text)
        const rows = statement.reader ? statement.all() : (statement.run(), [])
        database.close()
        return rows as Record<string, unknown>[]
      }
      const client = new pg.Client(settings['DATABASE_URL'])
      await client.connect()
      const { rows } = await client.query(text)
      await client.end()
      return rows as Record<string, unknown>[]
    }
  })
  afterAll(async () => {
    await host.close()
    await server.stop()
    await postgres?.stop()
  })

  const user = (index: number) => {
    const found = server.demo.users[index]
    if (found === undefined) throw new Error('no such demo user')
    return found
  }
  async function submit(index: number, verifications: Record<string, unknown> = { ssn, document }) {
    const variables = submissionVariables({
      verifications,
      decisionReason: `${canary} looks right`,
      externalProviderData: { note: canary },
    })
    const { accessToken } = user(index)
    const answer = await server.graphql('secure', { query: submissionDocument, variables }, { token: accessToken })
    return answer.json.data.postKycVerification.verificationId as string
  }
  const look = (path: string, body: unknown = { purpose: 'audit of May' }, token: string | null = file.tokens.Ada) =>
    server.call(`${server.demo.internalUrl}/internal/v1/verifications/${path}`, { method: 'POST', body, token })
  const looks = () =>
    sql(`SELECT actor, purpose, record_id, part FROM kyc_relay_vault_audit
      WHERE actor <> 'photo worker' ORDER BY position`)

  it('answers the whole record with a masked SSN and without the document number', async () => {
    const verificationId = await submit(0)
    const before = (await looks()).length
    const answer = await look(`${verificationId}/evidence`)
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json).toMatchObject({
      verificationId,
      appId: user(0).appId,
      userId: user(0).userId,
      decision: 'PASSED',
      decisionReason: `${canary} looks right`,
      externalVerificationId: expect.stringMatching(/^attempt-/),
      person: {
        firstName: 'Jane',
        lastName: 'Example',
        dateOfBirth: '1990-01-31',
        ssn: '***-**-1120',
        address: { streetLine1: '1 Example Street', countryCode: 'US' },
      },
      verifications: {
        document: { documentClass: 'PASSPORT', checks: [{ reasons: [`${canary} expired yesterday`] }] },
        ssn: { source: 'TIN_DATABASE' },
      },
      externalProviderData: { note: canary },
      declineCodes: ['document_expired'],
      statusLog: { previous: 'UNVERIFIED', next: 'PASS' },
      hasDocumentNumber: true,
      photos: [],
    })
    expect(answer.text).not.toMatch(/078-?05-?1120|X9Y8Z7W6|tok_|sealed/)
    expect((await looks()).slice(before)).toEqual([
      { actor: 'operator:Ada', purpose: 'audit of May', record_id: verificationId, part: 'details' },
    ])
    expect(server.logLines.join('')).not.toMatch(/CANARY|audit of May|operator:Ada/)
  })

  it('names a service as service, and whom it names as claimed', async () => {
    const verificationId = await submit(0)
    const { internalToken } = server.demo
    expect((await look(`${verificationId}/evidence`, { purpose: 'p' }, internalToken)).status).toBe(200)
    expect((await look(`${verificationId}/evidence`, { purpose: 'p', actor: 'Bob' }, internalToken)).status).toBe(200)
    expect((await looks()).slice(-2).map(({ actor }) => actor)).toEqual(['service', 'claimed:Bob'])
  })

  it.each([
    ['without a purpose', {}, 400],
    ['with an empty purpose', { purpose: ' ' }, 400],
    ['with a purpose of two lines', { purpose: 'a\nb' }, 400],
    ['with an actor of its own', { purpose: 'p', actor: 'Bob' }, 400],
  ])('refuses a look %s, and records none', async (_name, body, status) => {
    const verificationId = await submit(0)
    const before = await looks()
    for (const path of [`${verificationId}/evidence`, `${verificationId}/photos/front`]) {
      const refused = await look(path, body)
      expect(refused.status).toBe(status)
      expect(refused.text).not.toContain(canary)
    }
    expect(await looks()).toEqual(before)
  })

  it('needs the right, and exists on the internal listener only', async () => {
    const verificationId = await submit(0)
    expect((await look(`${verificationId}/evidence`, { purpose: 'p' }, file.tokens.Eve)).status).toBe(403)
    expect((await look(`${verificationId}/evidence`, { purpose: 'p' }, null)).status).toBe(401)
    for (const url of [server.demo.apiUrl, server.demo.secureUrl]) {
      const path = `${url}/internal/v1/verifications/${verificationId}/evidence`
      expect((await server.call(path, { body: { purpose: 'p' }, token: file.tokens.Ada })).status).toBe(404)
    }
    expect((await look('7a000000-0000-4000-8000-000000000001/evidence')).json).toMatchObject({
      status: 404,
      detail: 'VERIFICATION_UNKNOWN',
    })
    expect((await look('nonsense/evidence')).status).toBe(404)
  })

  it('answers nothing if the look cannot be recorded', async () => {
    const verificationId = await submit(0)
    await sql('ALTER TABLE kyc_relay_vault_audit RENAME TO audit_away')
    try {
      const failed = await look(`${verificationId}/evidence`)
      expect(failed.status).toBe(503)
      expect(failed.text).not.toMatch(/CANARY|Jane/)
    } finally {
      await sql('ALTER TABLE audit_away RENAME TO kyc_relay_vault_audit')
    }
    expect((await look(`${verificationId}/evidence`)).status).toBe(200)
  })

  it('answers a photo with type, size and checksum after the same record', async () => {
    const bytes = samplePhoto(canary)
    host.answer('/front', { status: 200, headers: { 'content-type': 'text/html' }, body: bytes })
    host.answer('/back', { status: 410 })
    const photos = { front: host.url('/front'), back: host.url('/back') }
    const verificationId = await submit(1, { ssn, document: { ...document, photos } })
    const states = async () => (await look(`${verificationId}/evidence`)).json.photos as { state: string }[]
    await expect.poll(async () => (await states()).map(({ state }) => state)).toEqual(['STORED', 'UNAVAILABLE'])
    const photo = await fetch(`${server.demo.internalUrl}/internal/v1/verifications/${verificationId}/photos/front`, {
      method: 'POST',
      headers: { authorization: `Bearer ${file.tokens.Ada}`, 'content-type': 'application/json' },
      body: JSON.stringify({ purpose: 'audit of June' }),
    })
    expect(photo.status).toBe(200)
    expect(Buffer.from(await photo.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(photo.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.byteLength),
      'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect((await looks()).at(-1)).toEqual({
      actor: 'operator:Ada',
      purpose: 'audit of June',
      record_id: verificationId,
      part: 'photo_front_image',
    })
    expect((await look(`${verificationId}/photos/back`)).json).toMatchObject({
      status: 409,
      detail: 'PHOTO_NOT_STORED',
    })
    expect((await look(`${verificationId}/photos/selfie`)).json).toMatchObject({ status: 404, detail: 'PHOTO_UNKNOWN' })
    expect((await look(`${verificationId}/photos/left`)).status).toBe(404)
    expect((await look(`${verificationId}/photos/front`, { purpose: 'p' }, file.tokens.Eve)).status).toBe(403)
  })

  it('gives a photo that is unavailable a new URL, and no other', async () => {
    host.answer('/gone', { status: 410 })
    // As long as in a submission: signed URLs are long.
    const path = '/again?token='.padEnd(4096 - host.url('').length, 'x')
    host.answer(path, { status: 200, body: samplePhoto(canary) })
    const photos = { front: host.url('/gone') }
    const verificationId = await submit(1, { ssn, document: { ...document, photos } })
    const state = async () => ((await look(`${verificationId}/evidence`)).json.photos as { state: string }[])[0]?.state
    await expect.poll(state).toBe('UNAVAILABLE')
    const replace = (path: string, body: unknown, token = file.tokens.Eve) =>
      server.call(`${server.demo.internalUrl}/internal/v1/verifications/${path}`, { method: 'PUT', body, token })
    const good = { url: host.url(path), reason: 'the partner sent another' }
    for (const url of ['http://photos.example.com/x', 'https://192.0.2.1/x', 'canary', `${good.url}x`])
      expect((await replace(`${verificationId}/photos/front`, { ...good, url })).status).toBe(400)
    expect((await replace(`${verificationId}/photos/front`, { url: good.url })).status).toBe(400)
    expect((await replace(`${verificationId}/photos/front`, good, file.tokens.Ada)).status).toBe(403)
    expect((await replace(`${verificationId}/photos/back`, good)).json).toMatchObject({ detail: 'PHOTO_UNKNOWN' })
    expect((await replace(`${verificationId}/photos/front`, good)).status).toBe(204)
    await expect.poll(state).toBe('STORED')
    const again = await replace(`${verificationId}/photos/front`, good)
    expect([again.status, again.json.detail]).toEqual([409, 'PHOTO_NOT_REPLACEABLE'])
    expect(server.logLines.join('')).not.toMatch(/\/again|sent another/)
  })

  it('answers 410 with what stays of an erased user, also after the user came back', async () => {
    host.answer('/erased', { status: 200, body: samplePhoto(canary) })
    const photos = { front: host.url('/erased') }
    const verificationId = await submit(2, { ssn, document: { ...document, photos } })
    const state = async () => ((await look(`${verificationId}/evidence`)).json.photos as { state: string }[])[0]?.state
    await expect.poll(state).toBe('STORED')
    const url = `${server.demo.internalUrl}/internal/v1/users/${user(2).userId}/pii`
    await server.call(url, { method: 'DELETE', token: server.demo.internalToken, body: { purpose: 'asked' } })
    const expectGone = async () => {
      const gone = await look(`${verificationId}/evidence`)
      expect([gone.status, gone.json.code]).toEqual([410, 'USER_ERASED'])
      expect(gone.headers['cache-control']).toBe('no-store')
      expect(gone.json.kept).toMatchObject({
        verificationId,
        decision: 'PASSED',
        declineCodes: ['document_expired'],
        ssnState: 'VALIDATED',
        photos: [{ side: 'front', state: 'ERASED' }],
      })
      expect(gone.text).not.toMatch(/CANARY|Jane|1120|tok_/)
      const photo = await look(`${verificationId}/photos/front`)
      expect([photo.status, photo.json.code]).toEqual([410, 'USER_ERASED'])
    }
    await expectGone()
    // Sealing a URL would give the erased user a new data key.
    const replaced = await server.call(
      `${server.demo.internalUrl}/internal/v1/verifications/${verificationId}/photos/front`,
      {
        method: 'PUT',
        body: { url: host.url('/erased'), reason: 'the partner sent another' },
        token: file.tokens.Eve,
      },
    )
    expect([replaced.status, replaced.json.detail]).toEqual([409, 'PHOTO_NOT_REPLACEABLE'])
    expect(await sql(`SELECT 1 FROM kyc_relay_vault_data_keys WHERE user_id = '${user(2).userId}'`)).toEqual([])
    const later = await submit(2)
    await expectGone()
    expect((await look(`${later}/evidence`)).json.person.firstName).toBe('Jane')
  })

  it('lists users of one app who share an SSN or a document, for evidence only', async () => {
    const verifications = { ssn, document: { ...document, documentNumber: 'SHARED-1' } }
    await submit(4, verifications)
    await submit(5, verifications)
    const list = (query: string, token: string | null = file.tokens.Ada) =>
      server.call(`${server.demo.internalUrl}/internal/v1/duplicates${query}`, { token })
    const { appId } = user(4)
    const answer = await list(`?appId=${appId}`)
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    const pair = [user(4).userId, user(5).userId].sort()
    expect(answer.json.items).toContainEqual({ field: 'document', userIds: pair })
    const shared = (answer.json.items as { field: string; userIds: string[] }[]).find(({ field }) => field === 'ssn')
    expect(shared?.userIds).toEqual(expect.arrayContaining(pair))
    expect(answer.text).not.toMatch(/1120|SHARED|tok_/)
    const entries = await server.call(`${server.demo.internalUrl}/internal/v1/audit-entries?log=vault&appId=${appId}`, {
      token: file.tokens.Eve,
    })
    expect(entries.json.items[0]).toMatchObject({
      kind: 'DUPLICATES_LISTED',
      appId,
      actor: 'operator:Ada',
      subject: '0',
    })
    await sql('ALTER TABLE kyc_relay_vault_audit_entries RENAME TO entries_away')
    try {
      const failed = await list(`?appId=${appId}`)
      expect([failed.status, failed.text.includes(user(4).userId)]).toEqual([503, false])
    } finally {
      await sql('ALTER TABLE entries_away RENAME TO kyc_relay_vault_audit_entries')
    }
    const first = await list(`?appId=${appId}&limit=1`)
    const second = await list(`?appId=${appId}&limit=1&cursor=${first.json.nextCursor}`)
    expect([...first.json.items, ...second.json.items]).toEqual((answer.json.items as unknown[]).slice(0, 2))
    for (const query of ['&limit=1000', '&limit=100'])
      expect((await list(`?appId=${appId}${query}`)).json).toEqual(answer.json)
    const other = server.demo.apps[1]!.appId
    expect((await list(`?appId=${other}`)).json).toEqual({ items: [], nextCursor: null })
    const foreign = await list(`?appId=${other}&cursor=${first.json.nextCursor}`)
    expect([foreign.status, foreign.json.code]).toEqual([400, 'CURSOR_INVALID'])
    for (const [query, refusal] of [
      ['', 'QUERY_INVALID'],
      ['?appId=canary', 'QUERY_INVALID'],
      [`?appId=${appId}&appId=${other}`, 'QUERY_INVALID'],
      [`?appId=${appId}&limit=0`, 'QUERY_INVALID'],
      [`?appId=${appId}&cursor=`, 'QUERY_INVALID'],
      [`?appId=${appId}&limit=1&limit=2`, 'QUERY_INVALID'],
      [`?appId=${appId}&user=1`, 'UNKNOWN_PARAMETER'],
    ] as const) {
      const { status, json } = await list(query)
      expect([query, status, json.detail ?? json.code]).toEqual([query, 400, refusal])
    }
    expect((await list(`?appId=${appId}`, file.tokens.Eve)).status).toBe(403)
    expect((await list(`?appId=${appId}`, null)).status).toBe(401)
    const partner = await server.call(`${server.demo.apiUrl}/internal/v1/duplicates?appId=${appId}`, {
      token: server.demo.apps[0]!.apiKey,
    })
    expect(partner.status).toBe(404)
  })

  it('does not call a broken seal an erasure', async () => {
    const verificationId = await submit(3)
    const { appId, userId } = user(3)
    await sql(
      `UPDATE kyc_relay_vault_data_keys SET user_id = 'elsewhere' WHERE app_id = '${appId}' AND user_id = '${userId}'`,
    )
    const broken = await look(`${verificationId}/evidence`)
    expect([broken.status, broken.json.code]).toEqual([500, 'INTERNAL'])
  })
})
