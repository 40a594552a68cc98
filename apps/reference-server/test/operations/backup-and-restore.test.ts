import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import type { DemoFile } from '../../src/start/demo-file.js'
import { startReceiver } from '../local-receiver.js'
import {
  postgresDatabases,
  sqliteDatabases,
  startOn,
  testFolder,
  verifyAudit,
  type Accepted,
  type Databases,
} from './restored-server.js'

// What docs/operate.md says of backup and restore, followed with real servers; and the mistakes that can be made.
vi.setConfig({ testTimeout: 180_000 })

type DemoUser = DemoFile['users'][number]

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

describe.each(['sqlite', 'postgres'] as const)('an installation on %s', (engine) => {
  let dataDir: string
  let databases: Databases

  beforeEach(async () => {
    dataDir = testFolder()
    databases = engine === 'sqlite' ? sqliteDatabases(dataDir) : await postgresDatabases(postgres)
  })

  const start = (changes: Record<string, string> = {}) => startOn(dataDir, { ...databases.urls, ...changes })

  async function submit(submissions: readonly (readonly [user: number, id: string])[]): Promise<Accepted[]> {
    const server = await start()
    const accepted: Accepted[] = []
    for (const [user, id] of submissions) accepted.push(await server.submit(user, id))
    await server.stop()
    return accepted
  }

  /** The tokens of the vault are so old that those without a verification are orphans. */
  const age = () =>
    databases.query(
      'vault',
      engine === 'sqlite'
        ? 'UPDATE kyc_relay_vault_tokens SET created_at = created_at - 26 * 3600000'
        : `UPDATE kyc_relay_vault_tokens SET created_at = created_at - interval '26 hours'`,
    )
  const count = async (where: string) =>
    Number(
      (
        await databases.query<{ count: number | string }>(
          'vault',
          `SELECT count(*) AS count FROM kyc_relay_vault_tokens WHERE ${where}`,
        )
      )[0]?.count,
    )
  const audited = async (kind: string) =>
    (
      await databases.query<{ subject: string }>(
        'vault',
        `SELECT subject FROM kyc_relay_vault_audit_entries WHERE kind = '${kind}' ORDER BY at`,
      )
    ).map(({ subject }) => subject)
  async function expectRevealed(server: Awaited<ReturnType<typeof start>>, accepted: readonly Accepted[]) {
    const rows = await databases.query<{ id: string; token: string }>(
      'business',
      'SELECT external_verification_id AS id, ssn_token AS token FROM kyc_relay_verifications',
    )
    for (const one of accepted) {
      const token = rows.find(({ id }) => id === one.externalVerificationId)?.token ?? ''
      expect(await server.reveal(one, token)).toBe('078051120')
    }
  }
  const checkpoints = () => join(dataDir, 'audit-checkpoints.jsonl')
  /** The old file is kept with the record of the restore, and a new one begins. */
  const beginNewCheckpoints = () => renameSync(checkpoints(), `${checkpoints()}.before-the-restore`)

  it('that is backed up and restored as documented loses nothing of the backup', async () => {
    const before = await submit([
      [0, 'before-1'],
      [1, 'before-2'],
    ])
    await databases.backUp('business', 'backup')
    await submit([[2, 'between']])
    await databases.backUp('vault', 'backup')
    copyFileSync(join(dataDir, 'keys.json'), join(dataDir, 'keys-backup.json'))
    await submit([[3, 'after']])

    copyFileSync(join(dataDir, 'keys-backup.json'), join(dataDir, 'keys.json'))
    await databases.restore('vault', 'backup')
    await databases.restore('business', 'backup')
    // What came after the backup is gone, and the checkpoints tell of it.
    expect((await verifyAudit(dataDir, databases.urls)).code).toBe(1)
    beginNewCheckpoints()
    await age()
    const server = await start()
    // The token that came between the two backups has no verification: it is kept for 30 days.
    expect(await server.awaitLine('orphan tokens quarantined')).toMatchObject({ count: 1 })
    expect((await server.readiness()).parts).toMatchObject({ vault: 'ok', tokenPurge: 'ok' })
    await expectRevealed(server, before)
    const [again] = [await server.submit(2, 'between'), await server.submit(3, 'after')]
    await expectRevealed(server, [again])
    await server.stop()
    expect(await verifyAudit(dataDir, databases.urls)).toMatchObject({ code: 0 })
    expect(await count('true')).toBe(5)
  })

  it('sends nothing of users who were erased or revoked since the backup, if this is repeated with ROLE=api', async () => {
    const settings = { ALLOW_LOOPBACK_RECEIVERS: '1', DELIVERY_RETRY_BASE_MS: '1000' }
    const before = await start(settings)
    const [app] = before.demo.apps
    const users = before.demo.users.filter(({ appId }) => appId === app?.appId)
    const [erased, revoked, kept] = users as [DemoUser, DemoUser, DemoUser]
    const receiver = await startReceiver(before.demo)
    onTestFinished(() => receiver.close())
    receiver.answerBy('/x', () => 500)
    const { apiUrl, internalUrl, internalToken } = before.demo
    await before.call(`${apiUrl}/api/v1/webhooks`, app?.apiKey ?? '', { url: receiver.url('/x') })
    for (const { appId, userId } of [erased, revoked, kept]) {
      const event = { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } }
      await before.call(`${internalUrl}/internal/v1/events`, internalToken, event)
    }
    await receiver.arrived('/x', 3)
    await before.stop()
    for (const name of ['business', 'vault'] as const) await databases.backUp(name, 'backup')

    const eraseAndRevoke = async (port: number) => {
      const paths = [`users/${erased.userId}/pii`, `grants/${revoked.appId}/${revoked.userId}`]
      for (const path of paths) {
        const headers = { authorization: `Bearer ${internalToken}` }
        const answer = await fetch(`http://127.0.0.1:${port}/internal/v1/${path}`, { method: 'DELETE', headers })
        expect([path, answer.ok]).toEqual([path, true])
      }
    }
    const after = await start({ ...settings, ROLE: 'api' })
    await eraseAndRevoke(after.ports.internal)
    await after.stop()

    for (const name of ['vault', 'business'] as const) await databases.restore(name, 'backup')
    beginNewCheckpoints()
    receiver.answerBy('/x', () => 200)
    const received = receiver.received.length
    const repeating = await start({ ...settings, ROLE: 'api' })
    await eraseAndRevoke(repeating.ports.internal)
    await repeating.stop()
    await start(settings)
    const states = () => databases.query('business', 'SELECT state FROM kyc_relay_deliveries ORDER BY state')
    await expect
      .poll(states, { timeout: 60_000 })
      .toEqual(['CANCELLED', 'CANCELLED', 'DELIVERED'].map((state) => ({ state })))
    const sent = receiver.received.slice(received).map(({ body }) => (JSON.parse(body) as DemoUser).userId)
    expect(sent).toEqual([kept.userId])
  })

  it('of which only the business database was restored purges nothing, says so, and is whole once it is put right', async () => {
    const before = await submit([[0, 'before']])
    await databases.backUp('business', 'older')
    const after = await submit([
      [1, 'after-1'],
      [2, 'after-2'],
    ])
    await databases.backUp('business', 'newest')
    await databases.restore('business', 'older')
    await age()

    const mistaken = await start()
    expect(await mistaken.awaitLine('orphan tokens not purged')).toMatchObject({
      level: 50,
      job: 'purge orphan tokens',
      cause: 'BUSINESS_DATABASE_BEHIND',
    })
    expect(await mistaken.readiness()).toMatchObject({ status: 200, parts: { tokenPurge: 'refused' } })
    expect(await mistaken.metric('kyc_relay_token_purge_refused{reason="BUSINESS_DATABASE_BEHIND"}')).toBe(1)
    expect(await mistaken.metric('kyc_relay_token_purge_refused{reason="SHARE_IMPLAUSIBLE"}')).toBe(0)
    await mistaken.stop()
    expect(await count('quarantined_at IS NOT NULL')).toBe(0)

    // Without the checkpoints nothing tells that it is older: what is not referred to waits in quarantine.
    beginNewCheckpoints()
    const unaware = await start()
    expect(await unaware.awaitLine('orphan tokens quarantined')).toMatchObject({ count: 2 })
    expect(await unaware.metric('kyc_relay_purged_tokens_total{action="quarantined"}')).toBe(2)
    await expectRevealed(unaware, before)
    await unaware.stop()
    expect(await count('true')).toBe(3)

    await databases.restore('business', 'newest')
    const right = await start()
    expect(await right.awaitLine('tokens restored from quarantine')).toMatchObject({ count: 2 })
    expect(await right.metric('kyc_relay_purged_tokens_total{action="restored"}')).toBe(2)
    await expectRevealed(right, [...before, ...after])
    await right.stop()
    expect(await count('quarantined_at IS NULL')).toBe(3)
    expect([await audited('TOKENS_QUARANTINED'), await audited('TOKENS_RESTORED')]).toEqual([['2'], ['2']])
    expect(await audited('TOKENS_ERASED')).toEqual([])
  })

  it('is not purged with a mistaken DATABASE_URL', async () => {
    const accepted = await submit([
      [0, 'first'],
      [1, 'second'],
    ])
    await age()
    renameSync(checkpoints(), `${checkpoints()}.elsewhere`)
    const empty = engine === 'sqlite' ? `file:${dataDir}/other.db` : await postgres.createDatabase()
    const mistaken = await start({ DATABASE_URL: empty })
    expect(await mistaken.awaitLine('orphan tokens not purged')).toMatchObject({ cause: 'BUSINESS_DATABASE_EMPTY' })
    expect((await mistaken.readiness()).parts).toMatchObject({ tokenPurge: 'refused' })
    await mistaken.stop()
    const right = await start()
    await expectRevealed(right, accepted)
  })

  it('is not purged beyond 100 tokens and 1 % of the vault in a day, unless it is told to', async () => {
    await submit([[0, 'first']])
    await databases.query(
      'vault',
      `INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, created_at, data_key)
      WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 101)
      SELECT 'tok_document_number_' || (number + 1000), 'app', 'user', 'document_number',
        ${engine === 'sqlite' ? `x'00', 0` : `'\\x00'::bytea, '2020-01-01'::timestamptz`}, 0 FROM numbers`,
    )
    const refusing = await start()
    expect(await refusing.awaitLine('orphan tokens not purged')).toMatchObject({ cause: 'SHARE_IMPLAUSIBLE' })
    expect((await refusing.readiness()).parts).toMatchObject({ tokenPurge: 'refused' })
    await refusing.stop()
    const told = await start({ PURGE_TOKENS_PER_DAY: '101' })
    expect(await told.awaitLine('orphan tokens quarantined')).toMatchObject({ count: 101 })
    await told.stop()
    expect(await count('quarantined_at IS NULL')).toBe(1)
  })

  it('whose vault is missing, made anew or older is refused, until it is put back or the loss is accepted', async () => {
    const [first] = (await submit([[0, 'first']])) as [Accepted]
    await databases.backUp('vault', 'older')
    const second = await submit([[1, 'second']])
    await databases.backUp('vault', 'newest')

    await databases.remove('vault')
    for (const role of ['all', 'api', 'secure', 'worker']) {
      await expect(start({ ROLE: role })).rejects.toMatchObject({
        code: 'VAULT_MISSING',
        message:
          'The vault (VAULT_DATABASE_URL) is empty, but DATABASE_URL holds verifications with values in a vault. Correct VAULT_DATABASE_URL, or restore the vault.',
      })
    }
    await databases.restore('vault', 'older')
    await expect(start()).rejects.toMatchObject({
      code: 'VAULT_INCOMPLETE',
      message:
        'The vault (VAULT_DATABASE_URL) lacks data keys or tokens of verifications in DATABASE_URL. It is an older copy or another vault. Correct VAULT_DATABASE_URL, or restore a newer vault.',
    })
    const accepting = await start({ ALLOW_INCOMPLETE_VAULT: '1' })
    expect(await accepting.awaitLine('the vault lacks values of recorded verifications')).toMatchObject({ level: 40 })
    await expectRevealed(accepting, [first])
    await accepting.stop()

    await databases.restore('vault', 'newest')
    const right = await start()
    await expectRevealed(right, [first, ...second])
  })

  it('whose vault lacks only the newest token of a user whom it knows is refused', async () => {
    await submit([[0, 'first']])
    await databases.backUp('vault', 'older')
    await submit([[0, 'second']])
    await databases.restore('vault', 'older')
    await expect(start()).rejects.toMatchObject({ code: 'VAULT_INCOMPLETE' })
  })

  it('of which a user was erased starts, also when all of them were', async () => {
    const accepted = await submit([
      [0, 'first'],
      [1, 'second'],
    ])
    for (const { userId } of accepted) {
      const server = await start()
      const url = `${server.demo.internalUrl}/internal/v1/users/${userId}/pii`
      const { status } = await fetch(url, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${server.demo.internalToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ purpose: 'request of the user' }),
      })
      expect(status).toBe(200)
      await server.stop()
    }
    expect(existsSync(checkpoints())).toBe(true)
    await (await start()).stop()
  })
})
