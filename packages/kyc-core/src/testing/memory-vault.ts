import { KycError } from '../kyc-error.js'
import type { PiiCipher, SealContext, WrappedDataKey } from '../tokenization/pii-cipher.js'
import type {
  AppUser,
  ClearValue,
  PiiEraser,
  PiiRevealer,
  PiiField,
  PiiKeyRotation,
  PiiTokenizer,
  TokenInspector,
  TokenizedValue,
  OwnedToken,
} from '../tokenization/pii-vault.js'
import { createToken, parseToken, type Token } from '../tokenization/token.js'

/** All rights on one vault. */
export type PiiVault = PiiTokenizer & TokenInspector & PiiRevealer & PiiEraser & PiiKeyRotation

interface Row extends AppUser {
  readonly token: Token
  readonly field: PiiField
  readonly fingerprint: Uint8Array
  sealed: Uint8Array | null
  readonly createdAtMs: number
  /** When it entered quarantine, or null. */
  quarantinedAtMs: number | null
}

/** Data that several vaults in memory share. Create one for each test. */
export interface MemoryVaultData {
  readonly rows: Row[]
  readonly dataKeys: Map<string, { owner: AppUser; dataKey: WrappedDataKey }>
  readonly audit: { readonly actor: string; readonly purpose: string }[]
}

/**
 * Creates empty data for {@link createMemoryVault}.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import type { PiiCipher } from '@kyc-relay/kyc-core'
 * import { createMemoryVault, createMemoryVaultData } from '@kyc-relay/kyc-core/testing'
 *
 * // Two handles on the same rows, as two processes have them.
 * export function openTwice(cipher: PiiCipher) {
 *   const shared = { cipher, now: () => new Date(), randomBytes, data: createMemoryVaultData() }
 *   return [createMemoryVault(shared), createMemoryVault(shared)]
 * }
 * ```
 */
export function createMemoryVaultData(): MemoryVaultData {
  return { rows: [], dataKeys: new Map(), audit: [] }
}

const ownerKey = ({ appId, userId }: AppUser): string => JSON.stringify([appId, userId])
const keyContext = ({ appId, userId }: AppUser): SealContext => ({ appId, userId })
const rowContext = (row: Pick<Row, 'appId' | 'userId' | 'token' | 'field'>): SealContext => ({
  appId: row.appId,
  userId: row.userId,
  token: row.token,
  field: row.field,
})
const partContext = ({ appId, userId }: AppUser, recordId: string, part: string): SealContext => ({
  appId,
  userId,
  recordId,
  part,
})

/**
 * Creates a vault in memory for unit tests. It uses real cryptography, and passes every case of {@link piiVaultCases}
 * except durability.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
 * import { createMemoryVault } from '@kyc-relay/kyc-core/testing'
 *
 * const now = () => new Date('2026-01-05T10:00:00Z')
 * const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: now() })) })
 * const vault = createMemoryVault({ cipher, now, randomBytes })
 * ```
 */
export function createMemoryVault(options: {
  readonly cipher: PiiCipher
  readonly now: () => Date
  readonly randomBytes: (size: number) => Uint8Array
  readonly data?: MemoryVaultData
}): PiiVault {
  const { cipher, now, randomBytes, data = createMemoryVaultData() } = options

  async function dataKeyOf(owner: AppUser): Promise<WrappedDataKey> {
    const known = data.dataKeys.get(ownerKey(owner))
    if (known) return known.dataKey
    const made = await cipher.createDataKey(keyContext(owner))
    const raced = data.dataKeys.get(ownerKey(owner))
    if (raced) return raced.dataKey
    data.dataKeys.set(ownerKey(owner), { owner, dataKey: made })
    return made
  }

  async function sealOne(
    owner: AppUser,
    dataKey: WrappedDataKey,
    value: ClearValue,
  ): Promise<{ readonly answer: TokenizedValue; readonly row: Row | null }> {
    const seal = (context: SealContext): Promise<Uint8Array> =>
      cipher.seal({ dataKey, keyContext: keyContext(owner), context, clear: new TextEncoder().encode(value.value) })
    if (value.kind === 'record') {
      const sealed = await seal(partContext(owner, value.recordId, value.part))
      return { answer: { kind: 'record', sealed }, row: null }
    }
    const madeAt = now()
    const made = { madeAt, randomBytes }
    const token = createToken(
      value.kind === 'ssn'
        ? { ...made, field: value.kind, lastFour: value.value.slice(-4) }
        : { ...made, field: value.kind },
    )
    const hashed =
      value.kind === 'ssn' ? value.value : JSON.stringify([value.documentClass, value.issuingCountryCode, value.value])
    const ids = { appId: owner.appId, userId: owner.userId, token, field: value.kind }
    const sealed = value.kind === 'ssn' ? await seal(rowContext(ids)) : null
    const fingerprint = await cipher.fingerprint(value.kind, hashed)
    return {
      answer: { kind: value.kind, token },
      row: { ...ids, fingerprint, sealed, createdAtMs: madeAt.getTime(), quarantinedAtMs: null },
    }
  }

  const find = (owner: AppUser, token: string): Row | undefined =>
    data.rows.find((row) => row.token === token && row.appId === owner.appId && row.userId === owner.userId)

  const rowsOf = (tokens: readonly OwnedToken[]): Row[] => [
    ...new Set(tokens.flatMap((owned) => find(owned, owned.token) ?? [])),
  ]
  const ownedToken = ({ appId, userId, token }: Row): OwnedToken => ({ appId, userId, token })

  function quarantinedInADay(): number {
    const after = now().getTime() - 24 * 3_600_000
    return data.rows.filter((row) => (row.quarantinedAtMs ?? -Infinity) > after).length
  }

  async function open(owner: AppUser, context: SealContext, sealed: Uint8Array): Promise<string> {
    const known = data.dataKeys.get(ownerKey(owner))
    if (!known) throw new KycError('SEAL_BROKEN')
    const clear = await cipher.open({ dataKey: known.dataKey, keyContext: keyContext(owner), context, sealed })
    return new TextDecoder().decode(clear)
  }

  return {
    async tokenize(owner, values) {
      if (values.length === 0) return []
      const dataKey = await dataKeyOf(owner)
      const sealed = await Promise.all(values.map((value) => sealOne(owner, dataKey, value)))
      if (data.dataKeys.get(ownerKey(owner))?.dataKey !== dataKey) throw new KycError('VAULT_UNAVAILABLE')
      data.rows.push(...sealed.flatMap(({ row }) => (row ? [row] : [])))
      return sealed.map(({ answer }) => answer)
    },
    fingerprint: (purpose, value) => cipher.fingerprint(purpose, value),
    async inspect(owner, tokens) {
      return tokens.map((token) => {
        const row = find(owner, token)
        const parsed = parseToken(token)
        if (!row || !parsed || row.quarantinedAtMs !== null) return null
        return { token: row.token, field: row.field, lastFour: parsed.lastFour, createdAt: new Date(row.createdAtMs) }
      })
    },
    async reveal({ owner, token, actor, purpose }) {
      const row = find(owner, token)
      if (!row) throw new KycError('TOKEN_UNKNOWN')
      if (!row.sealed) throw new KycError('NOT_REVEALABLE')
      data.audit.push({ actor, purpose })
      return open(owner, rowContext(row), row.sealed)
    },
    async openRecord({ owner, recordId, part, sealed, actor, purpose }) {
      data.audit.push({ actor, purpose })
      return open(owner, partContext(owner, recordId, part), sealed)
    },
    async eraseOwner(owner) {
      const kept = data.rows.filter((row) => row.appId !== owner.appId || row.userId !== owner.userId)
      const erased = data.rows.length - kept.length
      data.rows.splice(0, data.rows.length, ...kept)
      const known = data.dataKeys.get(ownerKey(owner))
      data.dataKeys.delete(ownerKey(owner))
      if (known) cipher.evictDataKey(known.dataKey)
      return erased
    },
    async listOlderThan({ ageMs, limit, after }) {
      const before = now().getTime() - ageMs
      const start = after === undefined ? 0 : data.rows.findIndex(({ token }) => token === after.token) + 1
      return data.rows
        .slice(start)
        .filter((row) => row.createdAtMs < before && row.quarantinedAtMs === null)
        .slice(0, limit)
        .map(ownedToken)
    },
    async quarantine({ tokens, mostInADay }) {
      const entering = rowsOf(tokens).filter((row) => row.quarantinedAtMs === null)
      if (entering.length + quarantinedInADay() > mostInADay) return null
      const at = now().getTime()
      for (const row of entering) row.quarantinedAtMs = at
      return entering.length
    },
    async listQuarantined({ ageMs, limit, after }) {
      const before = now().getTime() - ageMs
      const inOrder = data.rows
        .flatMap((row) => (row.quarantinedAtMs === null ? [] : [{ row, quarantinedAtMs: row.quarantinedAtMs }]))
        .sort((one, other) => one.quarantinedAtMs - other.quarantinedAtMs)
      const start = after === undefined ? 0 : inOrder.findIndex(({ row }) => row.token === after.token) + 1
      return inOrder
        .slice(start)
        .filter(({ quarantinedAtMs }) => quarantinedAtMs < before)
        .slice(0, limit)
        .map(({ row }) => ownedToken(row))
    },
    async restore(tokens) {
      const leaving = rowsOf(tokens).filter((row) => row.quarantinedAtMs !== null)
      for (const row of leaving) row.quarantinedAtMs = null
      return leaving.length
    },
    async destroyQuarantined({ tokens, ageMs }) {
      const before = now().getTime() - ageMs
      const gone = new Set(rowsOf(tokens).filter((row) => (row.quarantinedAtMs ?? Infinity) < before))
      data.rows.splice(0, data.rows.length, ...data.rows.filter((row) => !gone.has(row)))
      return gone.size
    },
    async countTokens({ limit }) {
      return { tokens: Math.min(limit, data.rows.length), quarantinedInADay: quarantinedInADay() }
    },
    async rewrapDataKeys({ limit }) {
      const current = await cipher.currentKeyId()
      const outdated = [...data.dataKeys].filter(([, { dataKey }]) => dataKey.keyId !== current)
      for (const [key, { owner, dataKey }] of outdated.slice(0, limit)) {
        data.dataKeys.set(key, { owner, dataKey: await cipher.rewrapDataKey(dataKey, keyContext(owner)) })
      }
      const rewrapped = Math.min(limit, outdated.length)
      return { rewrapped, remaining: outdated.length - rewrapped }
    },
  }
}
