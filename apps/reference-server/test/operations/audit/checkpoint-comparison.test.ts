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
    writeCheckpoint(name: 'stores' | 'vault' = 'stores', by = seal) {
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

it('without a file nothing is compared; with one, every checkpoint has its entry', async () => {
  const chain = chainOf()
  const compare = comparisonOf(chain)
  expect(await compare()).toBe('MATCHING')
  for (let round = 0; round < 3; round++) {
    chain.grow(5)
    chain.writeCheckpoint()
    expect(await compare()).toBe('MATCHING')
  }
})

it('an older copy is behind, also when it has grown past the checkpoint and has a newer checkpoint', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.writeCheckpoint()
  const copy = chain.restored(6)
  expect(await comparisonOf(copy)()).toBe('BEHIND')
  copy.writeCheckpoint()
  const compare = comparisonOf(copy)
  expect(await compare()).toBe('BEHIND')
  copy.grow(20)
  copy.writeCheckpoint()
  expect(await compare()).toBe('BEHIND')
  expect(await comparisonOf(copy)()).toBe('BEHIND')
  // The right database again.
  expect(await comparisonOf(chain)()).toBe('BEHIND')
})

it('a database that was replaced under a running server is noticed, although it has passed the checkpoint', async () => {
  const entries: AuditEntry[] = []
  const chain = chainOf(entries)
  chain.grow(10)
  chain.writeCheckpoint()
  const compare = comparisonOf(chain)
  expect(await compare()).toBe('MATCHING')
  entries.splice(6)
  chain.grow(20)
  chain.writeCheckpoint()
  expect(await compare()).toBe('BEHIND')
})

it('the right database that was put back matches, if the wrong one wrote no checkpoint', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.writeCheckpoint()
  const copy = chain.restored(3)
  expect(await comparisonOf(copy)()).toBe('BEHIND')
  expect(await comparisonOf(chain)()).toBe('MATCHING')
})

it('a new file begins anew', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.writeCheckpoint()
  const copy = chain.restored(6)
  const compare = comparisonOf(copy)
  expect(await compare()).toBe('BEHIND')
  rmSync(path)
  expect(await compare()).toBe('MATCHING')
  copy.writeCheckpoint()
  expect(await compare()).toBe('MATCHING')
})

it('lines of the other log, made-up ones, cut ones and those of another key do not count', async () => {
  const chain = chainOf()
  chain.grow(10)
  chain.writeCheckpoint('vault')
  chain.writeCheckpoint('stores', newSeal())
  appendFileSync(path, '{"log":"stores","chain":0,"sequence":99\n')
  const made = { log: 'stores', chain: 0, sequence: 99, mac: 'a'.repeat(64), at: '2026-01-01T00:00:00Z' }
  appendFileSync(path, `${JSON.stringify({ ...made, keyId: 'audit-1', seal: 'b'.repeat(64) })}\n`)
  const copy = chain.restored(3)
  const compare = comparisonOf(copy)
  expect(await compare()).toBe('MATCHING')
  // Half a line counts once it is whole.
  const before = chainOf()
  before.grow(4)
  before.writeCheckpoint()
  expect(await compare()).toBe('BEHIND')
})

it('two processes that write checkpoints one after the other, out of order, are no restore', async () => {
  const entries: AuditEntry[] = []
  const chain = chainOf(entries)
  chain.grow(5)
  const early = chain.restored(3)
  chain.writeCheckpoint()
  early.writeCheckpoint()
  chain.writeCheckpoint()
  expect(await comparisonOf(chain)()).toBe('MATCHING')
})

it('a file that cannot be read is told', async () => {
  mkdirSync(path)
  expect(await comparisonOf(chainOf())()).toBe('UNREADABLE')
  rmSync(path, { recursive: true })
  writeFileSync(path, '')
  expect(await comparisonOf(chainOf())()).toBe('MATCHING')
})
