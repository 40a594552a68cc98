import { randomBytes, randomUUID } from 'node:crypto'
import { createIngestion, type Token } from '@kyc-relay/kyc-core'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createMemoryVerificationStore, sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { createPostgresVault } from '@kyc-relay/storage-drizzle/postgres'
import { createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  createOrphanPurge,
  orphanAgeMs,
  quarantineMs,
  type OrphanPurgeDeps,
} from '../../src/operations/maintenance/purge-orphan-tokens.js'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const owner = { appId: 'app', userId: 'user' }
const stranger = { appId: 'app', userId: 'stranger' }
const keys = parseKeyFile(createKeyFile({ randomBytes, now: new Date('2026-01-01T00:00:00Z') }))
const cipher = createLocalCipher({ keys })

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

describe.each(['sqlite', 'postgres'] as const)('orphan tokens on %s', (engine) => {
  let now: number
  let open: () => ReturnType<typeof createSqliteVault>

  beforeEach(async () => {
    now = Date.parse('2026-01-06T12:00:00Z')
    const clock = () => new Date(now)
    if (engine === 'sqlite') {
      const database = new Database(':memory:')
      open = () => createSqliteVault({ database }, { cipher, clock })
    } else {
      const connectionString = await postgres.createDatabase()
      open = () => createPostgresVault({ connectionString }, { cipher, clock })
    }
  })

  async function openVault() {
    const vault = await open()
    onTestFinished(() => vault.close())
    const tokenize = async (count: number, of = owner) => {
      const values = Array.from({ length: count }, () => ({ kind: 'ssn' as const, value: '078051120' }))
      return (await vault.tokenize(of, values)).flatMap((value) => (value.kind === 'ssn' ? [value.token] : []))
    }
    const known = async (tokens: readonly Token[], of = owner) =>
      (await vault.inspect(of, tokens)).flatMap((facts) => facts?.token ?? [])
    const held = async () => (await vault.listQuarantined({ ageMs: -1, limit: 10_000 })).map(({ token }) => token)
    return { vault, tokenize, known, held }
  }

  function purgeOf(vault: OrphanPurgeDeps['vault'], referenced: ReadonlySet<Token>, changes = {}) {
    return createOrphanPurge({
      vault,
      verifications: {
        findReferencedTokens: (tokens) =>
          Promise.resolve(new Set(tokens.map(({ token }) => token).filter((token) => referenced.has(token)))),
      },
      isBusinessDatabaseEmpty: () => Promise.resolve(false),
      compareCheckpoints: () => Promise.resolve('MATCHING'),
      mostInADay: 100,
      nowMs: () => now,
      ...changes,
    })
  }
  const nothing = { examined: 0, restored: 0, quarantined: 0, destroyed: 0, refusal: null }

  it('are looked for page by page, and other work goes on between two pages', async () => {
    const { vault, tokenize } = await openVault()
    const old = await tokenize(1_300)
    now += orphanAgeMs + 1
    let turns = 0
    const turnsAtPages: number[] = []
    const listOlderThan: typeof vault.listOlderThan = (page) => {
      turnsAtPages.push(turns)
      setImmediate(() => (turns += 1))
      return vault.listOlderThan(page)
    }
    expect(await purgeOf({ ...vault, listOlderThan }, new Set(old))()).toEqual({ ...nothing, examined: 1_300 })
    expect(new Set(turnsAtPages).size).toBeGreaterThanOrEqual(3)
  })

  it('are quarantined after 25 hours, over many pages, and destroyed after 30 days more; all others stay', async () => {
    const { vault, tokenize, known, held } = await openVault()
    const old = await tokenize(1_300)
    now += orphanAgeMs
    const young = await tokenize(3)
    now += 1
    const referenced = new Set(old.filter((_token, index) => index % 7 === 0))
    const orphans = old.filter((token) => !referenced.has(token))
    const purge = purgeOf(vault, referenced, { mostInADay: 10_000 })
    expect(await purge()).toEqual({ ...nothing, examined: 1_300, quarantined: orphans.length })
    expect(await known([...old, ...young])).toEqual([...referenced, ...young])
    expect(await held()).toEqual(orphans)
    // What was found referred to is not looked at again, but once a day.
    expect(await purge()).toEqual(nothing)
    now += dayMs - 1
    expect(await purge()).toEqual(nothing)
    now += 1
    expect(await purge()).toEqual({ ...nothing, examined: referenced.size })
    now += orphanAgeMs - dayMs
    expect(await purge()).toEqual({ ...nothing, examined: young.length, quarantined: young.length })

    now += quarantineMs - orphanAgeMs
    expect(await purge()).toMatchObject({ destroyed: 0 })
    const [first] = orphans as [Token]
    expect(await vault.reveal({ owner, token: first, actor: 'test', purpose: 'test' })).toBe('078051120')
    now += 1
    expect(await purge()).toMatchObject({ destroyed: orphans.length, refusal: null })
    expect(await held()).toEqual(young)
    await expect(vault.reveal({ owner, token: first, actor: 'test', purpose: 'test' })).rejects.toMatchObject({
      code: 'TOKEN_UNKNOWN',
    })
    expect((await vault.countTokens({ limit: 10_000 })).tokens).toBe(referenced.size + young.length)
  })

  it('come back by themselves when a verification refers to them, to the last moment', async () => {
    const { vault, tokenize, known, held } = await openVault()
    const tokens = await tokenize(3)
    now += orphanAgeMs + 1
    const referenced = new Set<Token>()
    const purge = purgeOf(vault, referenced)
    expect(await purge()).toMatchObject({ quarantined: 3 })
    // The right database is restored when they are about to be destroyed.
    now += quarantineMs + 1
    referenced.add(tokens[1] as Token)
    expect(await purge()).toMatchObject({ restored: 1, destroyed: 2 })
    expect(await known(tokens)).toEqual([tokens[1]])
    expect(await held()).toEqual([])
  })

  it('are looked for from the beginning when the token that a run had come to is erased meanwhile', async () => {
    const { vault, tokenize } = await openVault()
    const referenced = new Set([...(await tokenize(1)), ...(await tokenize(1, stranger))])
    now += orphanAgeMs + 1
    const purge = purgeOf(vault, referenced)
    expect(await purge()).toMatchObject({ examined: 2 })
    expect(await purge()).toMatchObject({ examined: 0 })
    await vault.eraseOwner(stranger)
    expect(await purge()).toMatchObject({ examined: 1, quarantined: 0 })
  })

  it('are not purged when they are over 100 and over 1 % of the vault, and the next run counts them all again', async () => {
    const { vault, tokenize, held } = await openVault()
    const tokens = await tokenize(201)
    now += orphanAgeMs + 1
    const referenced = new Set(tokens.slice(0, 100))
    const purge = purgeOf(vault, referenced)
    const refused = { ...nothing, examined: 201, refusal: 'SHARE_IMPLAUSIBLE' }
    expect(await purge()).toEqual(refused)
    expect(await purge()).toEqual(refused)
    expect(await held()).toEqual([])
    referenced.add(tokens[200] as Token)
    expect(await purge()).toEqual({ ...nothing, examined: 201, quarantined: 100 })
  })

  it('are purged when they are over 100 and no more than 1 % of the vault', async () => {
    const { vault, tokenize } = await openVault()
    const tokens = await tokenize(10_100)
    now += orphanAgeMs + 1
    const referenced = new Set(tokens.slice(101))
    expect(await purgeOf(vault, referenced)()).toMatchObject({ quarantined: 101, refusal: null })
    referenced.delete(tokens[200] as Token)
    expect(await purgeOf(vault, referenced)()).toMatchObject({ quarantined: 0, refusal: 'SHARE_IMPLAUSIBLE' })
  })

  it('are counted per day over runs, restarts and other processes', async () => {
    const [one, other] = [await openVault(), await openVault()]
    await one.tokenize(60)
    now += 12 * hourMs
    await one.tokenize(41)
    now += orphanAgeMs - 12 * hourMs + 1
    expect(await purgeOf(one.vault, new Set())()).toMatchObject({ quarantined: 60, refusal: null })
    now += 12 * hourMs
    const late = purgeOf(other.vault, new Set())
    expect(await late()).toMatchObject({ quarantined: 0, refusal: 'SHARE_IMPLAUSIBLE' })
    now += 12 * hourMs - 1
    expect(await late()).toMatchObject({ quarantined: 0, refusal: 'SHARE_IMPLAUSIBLE' })
    now += 1
    expect(await late()).toMatchObject({ quarantined: 41, refusal: null })
    expect(await one.held()).toHaveLength(101)
  })

  it('of two racing processes never enter quarantine beyond the most of a day', async () => {
    const [one, other] = [await openVault(), await openVault()]
    const [mine, theirs] = [await one.tokenize(80), await one.tokenize(80)]
    now += orphanAgeMs + 1
    // Each process takes the tokens of the other for referred to, and restores none of them.
    const blind = (vault: typeof one.vault) => ({ ...vault, listQuarantined: () => Promise.resolve([]) })
    const reports = await Promise.all([
      purgeOf(blind(one.vault), new Set(theirs))(),
      purgeOf(blind(other.vault), new Set(mine))(),
    ])
    expect(reports.filter(({ refusal }) => refusal === 'SHARE_IMPLAUSIBLE')).toHaveLength(1)
    expect(await one.held()).toHaveLength(80)
  })

  it.each([
    // A new server has no verification either.
    ['BUSINESS_DATABASE_EMPTY', { isBusinessDatabaseEmpty: () => Promise.resolve(true) }, null],
    ['BUSINESS_DATABASE_BEHIND', { compareCheckpoints: () => Promise.resolve('BEHIND') }, 'BUSINESS_DATABASE_BEHIND'],
    ['CHECKPOINTS_UNREADABLE', { compareCheckpoints: () => Promise.resolve('UNREADABLE') }, 'CHECKPOINTS_UNREADABLE'],
  ])(
    'are neither quarantined nor destroyed: %s; what is referred to is restored all the same',
    async (refusal, why, withoutTokens) => {
      const { vault, tokenize, known, held } = await openVault()
      const refusing = () => purgeOf(vault, new Set(), why)()
      expect(await refusing()).toEqual({ ...nothing, refusal: withoutTokens })
      const [referred, forgotten] = await tokenize(2)
      now += orphanAgeMs + 1
      expect(await refusing()).toEqual({ ...nothing, refusal })
      expect(await held()).toEqual([])
      expect(await purgeOf(vault, new Set())()).toMatchObject({ quarantined: 2 })
      now += quarantineMs + 1
      expect(await purgeOf(vault, new Set([referred as Token]), why)()).toEqual({ ...nothing, restored: 1, refusal })
      expect(await known([referred as Token])).toEqual([referred])
      expect(await held()).toEqual([forgotten])
    },
  )

  it('are not destroyed by a wrong database when all are in quarantine and none is referred to', async () => {
    const { vault, tokenize, held } = await openVault()
    const tokens = await tokenize(2)
    now += orphanAgeMs + 1
    expect(await purgeOf(vault, new Set())()).toMatchObject({ quarantined: 2 })
    now += quarantineMs + 1
    const refusal = 'BUSINESS_DATABASE_EMPTY'
    const isBusinessDatabaseEmpty = () => Promise.resolve(true)
    expect(await purgeOf(vault, new Set(), { isBusinessDatabaseEmpty })()).toEqual({ ...nothing, refusal })
    expect(await held()).toEqual(tokens)
  })

  it('are no longer destroyed when the server stops', async () => {
    const { vault, tokenize, held } = await openVault()
    const tokens = await tokenize(501)
    now += orphanAgeMs + 1
    expect(await purgeOf(vault, new Set(), { mostInADay: 1_000 })()).toMatchObject({ quarantined: 501 })
    now += quarantineMs + 1
    let stops = false
    const destroyQuarantined: typeof vault.destroyQuarantined = (request) => {
      stops = true
      return vault.destroyQuarantined(request)
    }
    const purge = purgeOf({ ...vault, destroyQuarantined }, new Set())
    expect(await purge(() => !stops)).toEqual({ ...nothing, destroyed: 500 })
    expect(await held()).toEqual(tokens.slice(500))
  })

  it('stay where they are when the server stops before all are counted', async () => {
    const { vault, tokenize, held } = await openVault()
    await tokenize(1_001)
    now += orphanAgeMs + 1
    let pages = 0
    const purge = purgeOf(vault, new Set(), { mostInADay: 10_000 })
    // One page of those in quarantine, then two of the others.
    expect(await purge(() => (pages += 1) <= 3)).toEqual({ ...nothing, examined: 1_000 })
    expect(await held()).toEqual([])
    expect(await purge()).toMatchObject({ quarantined: 1_001 })
  })

  it.each([
    { age: 24 * hourMs, taken: true },
    { age: 24 * hourMs + 1, taken: false },
  ])('a token of $age ms is taken: $taken, and purging does not touch it for an hour more', async ({ age, taken }) => {
    const { vault } = await openVault()
    const clock = () => new Date(now)
    const verifications = createMemoryVerificationStore()
    const purge = purgeOf(vault, new Set(), { verifications })
    const { person, verifications: checks } = sampleSubmission()
    const tokens = await vault.tokenize(owner, [
      { kind: 'ssn', value: person.ssn.replaceAll('-', '') },
      { kind: 'document_number', value: 'X1234567', documentClass: 'PASSPORT', issuingCountryCode: 'US' },
    ])
    const [ssn, documentNumber] = tokens.map((value) => (value.kind === 'record' ? '' : value.token))
    now += age
    expect(await purge()).toEqual(nothing)
    const ingestion = createIngestion({
      verifications,
      tokenizer: vault,
      inspector: vault,
      now: clock,
      newId: randomUUID,
    })
    const submission = sampleSubmission({
      person: { ...person, ssn },
      verifications: { ...checks, document: { ...checks.document, documentNumber } },
    })
    const { kind } = await ingestion.ingestTokenizedSubmission(owner, submission)
    expect(kind).toBe(taken ? 'recorded' : 'refused')

    now += orphanAgeMs - age
    expect(await purge()).toEqual(nothing)
    now += 1
    expect(await purge()).toEqual({ ...nothing, examined: 2, quarantined: taken ? 0 : 2 })
  })
})
