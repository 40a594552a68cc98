import { createHash } from 'node:crypto'
import { KycError, type PiiCipher } from '@kyc-relay/kyc-core'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile, type KeyFile } from '@kyc-relay/kyc-core/node'
import {
  createMemoryVault,
  createMemoryVaultData,
  type PiiVault,
  type PiiVaultHarness,
} from '@kyc-relay/kyc-core/testing'

type MemoryVaultData = ReturnType<typeof createMemoryVaultData>

/** Reproducible bytes: each call gives others, each generator made from one seed gives the same. */
export function seededBytes(seed: string): (size: number) => Uint8Array {
  let counter = 0
  return (size) => {
    const blocks: Buffer[] = []
    while (blocks.length * 32 < size) {
      counter += 1
      blocks.push(createHash('sha256').update(`${seed} ${counter}`).digest())
    }
    return new Uint8Array(Buffer.concat(blocks).subarray(0, size))
  }
}

/** What lies under a handle of a vault. */
export interface InsideVault {
  readonly data: MemoryVaultData
  readonly cipher: PiiCipher
  now(): Date
}

/** A vault in memory with all that the cases can ask for. `wrap` makes a wrong vault out of the right one. */
export function createMemoryVaultHarness(
  wrap: (vault: PiiVault, inside: InsideVault) => PiiVault = (vault) => vault,
): PiiVaultHarness {
  const randomBytes = seededBytes('vault')
  const data = createMemoryVaultData()
  const source = { randomBytes, now: new Date('2026-01-05T10:00:00Z') }
  let keyFile = createKeyFile(source)
  let nowMs = Date.UTC(2026, 0, 5, 10)
  let auditFails = false
  const push = data.audit.push.bind(data.audit)
  data.audit.push = (...entries) => {
    if (auditFails) throw new KycError('VAULT_UNAVAILABLE')
    return push(...entries)
  }
  const rowOf = (token: string) => data.rows.find((row) => row.token === token)

  return {
    async open() {
      const cipher = createLocalCipher({ keys: parseKeyFile(keyFile) })
      const inside = { cipher, data, now: () => new Date(nowMs) }
      const vault = createMemoryVault({ ...inside, randomBytes })
      return { vault: wrap(vault, inside), close: async () => {} }
    },
    async advance(ms) {
      nowMs += ms
    },
    storage: {
      async readSealed(token) {
        return rowOf(token)?.sealed ?? null
      },
      async writeSealed(token, sealed) {
        const row = rowOf(token)
        if (row) row.sealed = sealed
      },
      async readEverything() {
        const bytes = data.rows.flatMap((row) => [...row.fingerprint, ...(row.sealed ?? [])])
        const keys = [...data.dataKeys.values()].flatMap(({ dataKey }) => [...dataKey.bytes])
        const texts = JSON.stringify(
          data.rows.map(({ token, field, appId, userId }) => ({ token, field, appId, userId })),
        )
        return new Uint8Array([...bytes, ...keys, ...Buffer.from(texts)])
      },
      async listAudit() {
        return data.audit
      },
      async failAudit(fails) {
        auditFails = fails
      },
    },
    rotation: {
      async addKey() {
        keyFile = addSealKey(keyFile, source)
      },
      async dropFormerKeys() {
        const file = JSON.parse(keyFile) as Omit<KeyFile, 'keys'> & { keys: { id: string; purpose: string }[] }
        const keys = file.keys.filter((key) => key.purpose !== 'seal' || key.id === file.activeSealKeyId)
        keyFile = JSON.stringify({ ...file, keys })
      },
    },
  }
}
