import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  createIngestion,
  type Ingestion,
  type IngestionDependencies,
  type PiiEraser,
  type PiiRevealer,
  type PiiTokenizer,
  type TokenInspector,
  type VerificationStore,
} from '@kyc-relay/kyc-core'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createMemoryVault, createMemoryVerificationStore } from '@kyc-relay/kyc-core/testing'
import { createSqliteStorage, createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import { seededBytes } from '../testing/memory-vault-harness.js'

export const NOW = new Date('2026-01-06T12:00:00.123Z')
export const MARIA = { appId: '019a0000-0000-7000-8000-000000000001', userId: '019a0000-0000-7000-8000-000000000011' }
export const JONAS = { appId: MARIA.appId, userId: '019a0000-0000-7000-8000-000000000012' }
export const ELSEWHERE = {
  appId: '019a0000-0000-7000-8000-000000000002',
  userId: '019a0000-0000-7000-8000-000000000013',
}

export type Vault = PiiTokenizer & TokenInspector & PiiRevealer & PiiEraser

/** Everything a test of the path needs, on one kind of storage. */
export interface Fixture {
  readonly verifications: VerificationStore
  readonly vault: Vault
  /** Every write that reached the store or the vault, by method name. */
  readonly writes: string[]
  /** Moves the clock of the vault and of ingestion. */
  advance(ms: number): void
  ingestion(changes?: Partial<IngestionDependencies>): Ingestion
  close(): Promise<void>
}

/** UUIDs that count up, so that results are reproducible. */
export function countingIds(): () => string {
  let count = 0
  return () => `019a0000-0000-7000-9000-${String((count += 1)).padStart(12, '0')}`
}

async function openBackend(kind: 'memory' | 'sqlite', now: () => Date) {
  const randomBytes = seededBytes('ingestion')
  const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: NOW })) })
  if (kind === 'memory') {
    const vault: Vault = createMemoryVault({ cipher, now, randomBytes })
    return { verifications: createMemoryVerificationStore(), vault, close: async () => {} }
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'kyc-core-'))
  const storage = await createSqliteStorage({ path: path.join(folder, 'kyc.db') })
  const vault = await createSqliteVault({ path: path.join(folder, 'vault.db') }, { cipher, clock: now, randomBytes })
  return {
    verifications: storage.verifications,
    vault: vault as Vault,
    async close() {
      await storage.close()
      await vault.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Opens a store and a vault of one kind, with every write counted. */
export async function openFixture(kind: 'memory' | 'sqlite'): Promise<Fixture> {
  let nowMs = NOW.getTime()
  const now = (): Date => new Date(nowMs)
  const { verifications, vault, close } = await openBackend(kind, now)
  const writes: string[] = []
  const newId = countingIds()
  const counted: VerificationStore = {
    ...verifications,
    record(submission) {
      writes.push('record')
      return verifications.record(submission)
    },
  }
  const tokenizer: PiiTokenizer = {
    fingerprint: vault.fingerprint,
    tokenize(owner, values) {
      writes.push('tokenize')
      return vault.tokenize(owner, values)
    },
  }
  return {
    verifications,
    vault,
    writes,
    advance(ms) {
      nowMs += ms
    },
    ingestion: (changes = {}) =>
      createIngestion({ verifications: counted, tokenizer, inspector: vault, now, newId, ...changes }),
    close,
  }
}
