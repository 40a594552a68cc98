import { randomBytes, randomUUID } from 'node:crypto'
import { createIngestion, type Token } from '@kyc-relay/kyc-core'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createMemoryVerificationStore, sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createPeriodicJobs } from '../../src/workers/periodic-jobs.js'
import { createOrphanPurge, orphanAgeMs } from '../../src/workers/purge-orphan-tokens.js'
import { removeOldRows } from '../../src/workers/remove-old-rows.js'
import { rewrapDataKeys } from '../../src/workers/rewrap-data-keys.js'

const hourMs = 3_600_000
const owner = (number: number) => ({ appId: 'app', userId: `user-${number}` })
const keyFile = createKeyFile({ randomBytes, now: new Date('2026-01-01T00:00:00Z') })

async function vaultWith(clock: () => Date, keys = keyFile) {
  return createSqliteVault({ path: ':memory:' }, { cipher: createLocalCipher({ keys: parseKeyFile(keys) }), clock })
}

it('tokens that nothing refers to go after 25 hours, over many pages; all others stay', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const vault = await vaultWith(() => new Date(now))
  const tokenize = async (count: number) => {
    const values = Array.from({ length: count }, () => ({ kind: 'ssn' as const, value: '078051120' }))
    return (await vault.tokenize(owner(1), values)).flatMap((value) => (value.kind === 'ssn' ? [value.token] : []))
  }
  const old = await tokenize(1_300)
  now += orphanAgeMs
  const young = await tokenize(3)
  now += 1
  const referenced = new Set<Token>(old.filter((_token, index) => index % 7 === 0))
  const verifications = {
    findReferencedTokens: (tokens: readonly Token[]) =>
      Promise.resolve(new Set(tokens.filter((token) => referenced.has(token)))),
  }
  const purge = createOrphanPurge({ custodian: vault, verifications, nowMs: () => now })
  expect(await purge()).toEqual({ examined: 1_300, erased: 1_300 - referenced.size })
  const left = (await vault.inspect(owner(1), [...old, ...young])).flatMap((facts) => facts?.token ?? [])
  expect(left).toEqual([...old.filter((token) => referenced.has(token)), ...young])
  // What was found referred to is not looked at again, but once a day.
  expect(await purge()).toEqual({ examined: 0, erased: 0 })
  now += orphanAgeMs - 24 * hourMs
  expect(await purge()).toEqual({ examined: 0, erased: 0 })
  now += 24 * hourMs - 1 - (orphanAgeMs - 24 * hourMs)
  expect(await purge()).toEqual({ examined: 0, erased: 0 })
  now += 1
  expect(await purge()).toEqual({ examined: referenced.size, erased: 0 })
  now += orphanAgeMs - 24 * hourMs
  expect(await purge()).toEqual({ examined: young.length, erased: young.length })
  await vault.close()
})

it('purging begins anew when the token that it had come to is erased meanwhile', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const vault = await vaultWith(() => new Date(now))
  const tokenOf = async (number: number) => {
    const [value] = await vault.tokenize(owner(number), [{ kind: 'ssn', value: '078051120' }])
    return value?.kind === 'ssn' ? [value.token] : []
  }
  const referenced = new Set<Token>([...(await tokenOf(1)), ...(await tokenOf(2))])
  const verifications = { findReferencedTokens: () => Promise.resolve(referenced) }
  now += orphanAgeMs + 1
  const purge = createOrphanPurge({ custodian: vault, verifications, nowMs: () => now })
  expect(await purge()).toEqual({ examined: 2, erased: 0 })
  expect(await purge()).toEqual({ examined: 0, erased: 0 })
  await vault.eraseOwner(owner(2))
  expect(await purge()).toEqual({ examined: 1, erased: 0 })
  await vault.close()
})

it.each([
  { age: 24 * hourMs, taken: true },
  { age: 24 * hourMs + 1, taken: false },
])('a token of $age ms is taken: $taken, and purging does not touch it for an hour more', async ({ age, taken }) => {
  let now = Date.parse('2026-01-06T12:00:00Z')
  const clock = () => new Date(now)
  const vault = await vaultWith(clock)
  const verifications = createMemoryVerificationStore()
  const purge = createOrphanPurge({ custodian: vault, verifications, nowMs: () => now })
  const { person, verifications: checks } = sampleSubmission()
  const tokens = await vault.tokenize(owner(1), [
    { kind: 'ssn', value: person.ssn.replaceAll('-', '') },
    { kind: 'document_number', value: 'X1234567', documentClass: 'PASSPORT', issuingCountryCode: 'US' },
  ])
  const [ssn, documentNumber] = tokens.map((value) => (value.kind === 'record' ? '' : value.token))
  now += age
  expect(await purge()).toEqual({ examined: 0, erased: 0 })
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
  const { kind } = await ingestion.ingestTokenizedSubmission(owner(1), submission)
  expect(kind).toBe(taken ? 'recorded' : 'refused')

  now += orphanAgeMs - age
  expect(await purge()).toEqual({ examined: 0, erased: 0 })
  now += 1
  expect(await purge()).toEqual({ examined: 2, erased: taken ? 0 : 2 })
  await vault.close()
})

it('purging stops between two pages when the server stops', async () => {
  const asked: number[] = []
  const page = Array.from({ length: 500 }, (_, index): Token => `tok_ssn_${String(index).padStart(26, '0')}_1120`)
  const custodian = {
    listOlderThan: () => Promise.resolve(page),
    erase: (tokens: readonly Token[]) => Promise.resolve(void asked.push(tokens.length)),
  }
  const verifications = { findReferencedTokens: () => Promise.resolve(new Set<Token>()) }
  let pages = 0
  await createOrphanPurge({ custodian, verifications, nowMs: () => 0 })(() => (pages += 1) <= 2)
  expect(asked).toEqual([500, 500])
})

it('after a rotation of the key file data keys move to the new key, batch by batch, and everything opens', async () => {
  const clock = () => new Date('2026-01-01T00:00:00Z')
  const rotated = addSealKey(keyFile, { randomBytes, now: clock() })
  const database = new Database(':memory:')
  const before = await createSqliteVault(
    { database },
    { cipher: createLocalCipher({ keys: parseKeyFile(keyFile) }), clock },
  )
  const tokens: Token[] = []
  for (let number = 0; number < 450; number += 1) {
    const [value] = await before.tokenize(owner(number), [{ kind: 'ssn', value: '078051120' }])
    if (value?.kind === 'ssn') tokens.push(value.token)
  }
  const after = await createSqliteVault(
    { database },
    { cipher: createLocalCipher({ keys: parseKeyFile(rotated) }), clock },
  )
  const progress: { rewrapped: number; remaining: number }[] = []
  expect(await rewrapDataKeys(after, (step) => void progress.push(step))).toBe(450)
  expect(progress).toEqual([
    { rewrapped: 200, remaining: 250 },
    { rewrapped: 400, remaining: 50 },
    { rewrapped: 450, remaining: 0 },
  ])
  expect(await rewrapDataKeys(after)).toBe(0)
  for (const [number, token] of tokens.entries()) {
    expect(await after.reveal({ owner: owner(number), token, actor: 'test', purpose: 'test' })).toBe('078051120')
  }
  const stranger = createKeyFile({ randomBytes, now: clock() })
  const wrong = await createSqliteVault(
    { database },
    { cipher: createLocalCipher({ keys: parseKeyFile(stranger) }), clock },
  )
  await expect(rewrapDataKeys(wrong)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
})

it('periodic jobs run at once, again after their interval, go on after a failure, and end with the server', async () => {
  const waiting: { callback: () => void; ms: number; cancelled: boolean }[] = []
  const failures: string[] = []
  let runs = 0
  let finish = () => {}
  const jobs = createPeriodicJobs(
    [
      {
        name: 'flaky',
        intervalMs: 60_000,
        async run(mayGoOn) {
          runs += 1
          if (runs === 1) throw new Error('canary')
          if (runs === 2) return
          await new Promise<void>((resolve) => (finish = resolve))
          expect(mayGoOn()).toBe(false)
        },
      },
    ],
    (name) => void failures.push(name),
    (callback, ms) => {
      const entry = { callback, ms, cancelled: false }
      waiting.push(entry)
      return () => void (entry.cancelled = true)
    },
  )
  const next = async () => {
    await expect.poll(() => waiting.length).toBe(runs)
    waiting.at(-1)?.callback()
  }
  jobs.start()
  await next()
  expect([runs, failures, waiting[0]?.ms]).toEqual([2, ['flaky'], 60_000])
  await next()
  const stopped = jobs.stop()
  finish()
  await stopped
  expect([runs, waiting.length]).toEqual([3, 2])
})

it('old rows are removed step by step until none is left, or the server stops', async () => {
  const steps = [1_000, 1_000, 7]
  const retention = (left: number[]) => ({
    removeOld() {
      const bodiesBlanked = left.shift() ?? 0
      return Promise.resolve({
        bodiesBlanked,
        attemptsRemoved: 2,
        accessTokensRemoved: 1,
        sessionsRemoved: 1,
        more: bodiesBlanked === 1_000,
      })
    },
  })
  expect(await removeOldRows(retention([...steps]))).toBe(2_019)
  let asked = 0
  expect(await removeOldRows(retention([...steps]), () => (asked += 1) <= 1)).toBe(1_004)
})
