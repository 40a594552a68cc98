import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEntry } from '@kyc-relay/kyc-core/audit'
import { createKeyFile, createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createCheckpointComparison } from '../../../src/operations/audit/checkpoint-comparison.js'

const newSeal = () =>
  createLocalAuditSeal({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date('2026-01-01T00:00:00Z') })) })
const seal = newSeal()

let path: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-checkpoints-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  path = join(folder, 'checkpoints.jsonl')
})

/** One chain in memory. */
function chainOf(entries: AuditEntry[] = []) {
  const log = {
    name: 'stores' as const,
    listEntries: ({ after, limit }: { after: number; limit: number }) =>
      Promise.resolve(entries.filter(({ sequence }) => sequence > after).slice(0, limit)),
  }
  return {
    log,
    /** Appends as many entries. What is written after a restore differs from what was there before. */
    grow(count: number) {
      for (let made = 0; made < count; made++) {
        const event = { kind: 'VERIFICATION_RECORDED', atMs: 0, appId: null, userId: null } as const
        const subject = randomBytes(8).toString('hex')
        entries.push(
          seal.next('stores', 0, entries.at(-1) ?? null, { ...event, subject, contentDigest: '0'.repeat(64) }),
        )
      }
    },
    restored: (sequence: number) => chainOf(entries.slice(0, sequence)),
    witness(name: 'stores' | 'vault' = 'stores', by = seal) {
      const head = entries.at(-1)
      if (head === undefined) return
      const { atMs, ...line } = by.sealCheckpoint({ ...head, log: name, atMs: 0 })
      const { chain, sequence, mac, log: of, keyId, seal: mark } = line
      const at = new Date(atMs).toISOString()
      appendFileSync(path, `${JSON.stringify({ chain, sequence, mac, log: of, keyId, seal: mark, at })}\n`)
    },
  }
}
const comparisonOf = (chain: ReturnType<typeof chainOf>) => createCheckpointComparison({ path, seal, log: chain.log })

it('nothing is witnessed where there is no file, and what was witnessed is there', async () => {
  const chain = chainOf()
  const compare = comparisonOf(chain)
  expect(await compare()).toBe('AS_WITNESSED')
  for (let round = 0; round < 3; round++) {
    chain.grow(5)
    chain.witness()
    expect(await compare()).toBe('AS_WITNESSED')
  }
})

it('an older copy is behind, also when it has grown past the checkpoint and was witnessed since', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.witness()
  const copy = chain.restored(6)
  expect(await comparisonOf(copy)()).toBe('BEHIND')
  copy.witness()
  const compare = comparisonOf(copy)
  expect(await compare()).toBe('BEHIND')
  copy.grow(20)
  copy.witness()
  expect(await compare()).toBe('BEHIND')
  expect(await comparisonOf(copy)()).toBe('BEHIND')
  // The right database again.
  expect(await comparisonOf(chain)()).toBe('BEHIND')
})

it('a database that was replaced under a running server is noticed, although it has passed the checkpoint', async () => {
  const entries: AuditEntry[] = []
  const chain = chainOf(entries)
  chain.grow(10)
  chain.witness()
  const compare = comparisonOf(chain)
  expect(await compare()).toBe('AS_WITNESSED')
  entries.splice(6)
  chain.grow(20)
  chain.witness()
  expect(await compare()).toBe('BEHIND')
})

it('the right database that was put back is as witnessed, if the wrong one was not witnessed', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.witness()
  const copy = chain.restored(3)
  expect(await comparisonOf(copy)()).toBe('BEHIND')
  expect(await comparisonOf(chain)()).toBe('AS_WITNESSED')
})

it('a new file begins anew', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.witness()
  const copy = chain.restored(6)
  const compare = comparisonOf(copy)
  expect(await compare()).toBe('BEHIND')
  rmSync(path)
  expect(await compare()).toBe('AS_WITNESSED')
  copy.witness()
  expect(await compare()).toBe('AS_WITNESSED')
})

it('lines of the other log, made-up ones, cut ones and those of another key witness nothing', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.witness('vault')
  chain.witness('stores', newSeal())
  appendFileSync(path, '{"log":"stores","chain":0,"sequence":99\n')
  const made = { log: 'stores', chain: 0, sequence: 99, mac: 'a'.repeat(64), at: '2026-01-01T00:00:00Z' }
  appendFileSync(path, `${JSON.stringify({ ...made, keyId: 'audit-1', seal: 'b'.repeat(64) })}\n`)
  const copy = chain.restored(3)
  const compare = comparisonOf(copy)
  expect(await compare()).toBe('AS_WITNESSED')
  // Half a line counts once it is whole.
  const before = chainOf()
  before.grow(4)
  before.witness()
  expect(await compare()).toBe('BEHIND')
})

it('two processes that witness one after the other, out of order, are no restore', async () => {
  const entries: AuditEntry[] = []
  const chain = chainOf(entries)
  chain.grow(5)
  const early = chain.restored(3)
  chain.witness()
  early.witness()
  chain.witness()
  expect(await comparisonOf(chain)()).toBe('AS_WITNESSED')
})

it('a file that cannot be read is told', async () => {
  mkdirSync(path)
  expect(await comparisonOf(chainOf())()).toBe('UNREADABLE')
  rmSync(path, { recursive: true })
  writeFileSync(path, '')
  expect(await comparisonOf(chainOf())()).toBe('AS_WITNESSED')
})
