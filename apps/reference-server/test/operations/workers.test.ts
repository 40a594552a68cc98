import { randomBytes } from 'node:crypto'
import type { Token } from '@kyc-relay/kyc-core'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createPeriodicJobs } from '../../src/operations/maintenance/periodic-jobs.js'
import { removeOldRows } from '../../src/operations/maintenance/remove-old-rows.js'
import { rewrapDataKeys } from '../../src/operations/maintenance/rewrap-data-keys.js'

const owner = (number: number) => ({ appId: 'app', userId: `user-${number}` })
const keyFile = createKeyFile({ randomBytes, now: new Date('2026-01-01T00:00:00Z') })

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
        async run(shouldContinue) {
          runs += 1
          if (runs === 1) throw new Error('canary')
          if (runs === 2) return
          await new Promise<void>((resolve) => (finish = resolve))
          expect(shouldContinue()).toBe(false)
        },
      },
    ],
    { onFailure: (name) => void failures.push(name) },
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
  const oldRows = (left: number[]) => ({
    retention: {
      removeOld() {
        const bodiesBlanked = left.shift() ?? 0
        return Promise.resolve({
          deliveriesExpired: 0,
          bodiesBlanked,
          transactionsBlanked: 0,
          attemptsRemoved: 2,
          endpointHoursMerged: 0,
          endpointHoursRemoved: 0,
          accessTokensRemoved: 1,
          more: bodiesBlanked === 1_000,
        })
      },
    },
    portalSessions: { removeEnded: () => Promise.resolve(1) },
  })
  const progress: number[] = []
  const tell = (removed: number) => void progress.push(removed)
  expect(await removeOldRows(oldRows([...steps]), () => true, tell)).toBe(2_019)
  expect(progress).toEqual([1_004, 2_008, 2_019])
  let asked = 0
  expect(await removeOldRows(oldRows([...steps]), () => (asked += 1) <= 1, tell)).toBe(1_004)
})
