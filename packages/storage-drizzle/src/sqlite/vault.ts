import { randomBytes as cryptoRandomBytes } from 'node:crypto'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { KycError, parseToken } from '@kyc-relay/kyc-core'
import type {
  AppUser,
  ClearValue,
  PiiCipher,
  PiiCustodian,
  PiiKeyRotation,
  PiiTokenizer,
  RevealRequest,
  TokenFacts,
  TokenInspector,
  WrappedDataKey,
} from '@kyc-relay/kyc-core'
import { checkedLimit } from '../page-cursor.js'
import { keyContext, recordContext, sealValue, tokenContext, type NewTokenRow } from '../vault/sealing.js'
import { vaultErrorOf } from '../vault/vault-errors.js'
import { assertDurable, openConnection, type SqliteLocation } from './connection.js'
import { migrate } from './migrate.js'
import { createSharedCommits } from './shared-commits.js'
import { prepareVaultStatements } from './vault-statements.js'

export interface SqliteVaultOptions {
  /** The cryptography, for example `createLocalCipher` of `@kyc-relay/kyc-core/node`. */
  readonly cipher: PiiCipher
  /** Default: the system clock. */
  readonly clock?: () => Date
  /** Cryptographic randomness for tokens. Default: `node:crypto`. */
  readonly randomBytes?: (size: number) => Uint8Array
}

/** All rights on one vault. Hand each part of a system only the port it needs: ingestion gets the {@link PiiTokenizer}. */
export interface SqliteVault extends PiiTokenizer, TokenInspector, PiiCustodian, PiiKeyRotation {
  /** Writes what is queued and closes the file. */
  close(): Promise<void>
}

/** A data key changed or went while values were being sealed under it. */
const dataKeyGone = Symbol('data key gone')

/** How often a tokenization starts over because its owner is being erased at the same time. */
const mostStarts = 5

/**
 * Opens the vault: a file of its own, in which an SSN is sealed under its owner's data key and a document number is
 * only a keyed hash. Migrations are applied before it resolves.
 *
 * @throws StorageError `SCHEMA_NEWER`, `SCHEMA_EDITED`, `STORE_UNAVAILABLE`, `DURABILITY_NOT_GUARANTEED`
 *
 * @example
 * const vault = await createSqliteVault({ path: 'data/vault.db' }, { cipher: createLocalCipher({ keys }) })
 */
export function createSqliteVault(location: SqliteLocation, options: SqliteVaultOptions): Promise<SqliteVault> {
  return new Promise((resolve) => resolve(openVault(location, options)))
}

function openVault(location: SqliteLocation, options: SqliteVaultOptions): SqliteVault {
  const { cipher, clock = () => new Date(), randomBytes = cryptoRandomBytes } = options
  const { client, close } = openConnection(location)
  try {
    migrate(client, 'sqlite-vault', clock)
    assertDurable(client)
  } catch (error) {
    close()
    throw error
  }
  const statements = prepareVaultStatements(drizzle({ client }))
  const commits = createSharedCommits(client)

  async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw vaultErrorOf(error)
    }
  }

  function findDataKey(owner: AppUser): (WrappedDataKey & { readonly position: number }) | null {
    const row = statements.findDataKey.get({ ...owner })
    return row === undefined ? null : { position: row.position, keyId: row.keyId, bytes: new Uint8Array(row.wrapped) }
  }

  async function ensureDataKey(owner: AppUser) {
    const known = findDataKey(owner)
    if (known !== null) return known
    const made = await cipher.createDataKey(keyContext(owner))
    await commits.write(() => {
      const createdAt = clock().getTime()
      statements.insertDataKey.run({ ...owner, keyId: made.keyId, wrapped: made.bytes, createdAt })
    })
    return findDataKey(owner)
  }

  function writeTokens(
    owner: AppUser,
    dataKeyPosition: number,
    rows: readonly NewTokenRow[],
  ): true | typeof dataKeyGone {
    // An erasure since the sealing destroyed the key: what was sealed under it could never be opened.
    if (findDataKey(owner)?.position !== dataKeyPosition) return dataKeyGone
    const createdAt = clock().getTime()
    for (const row of rows) statements.insertToken.run({ ...owner, ...row, createdAt })
    return true
  }

  async function tokenize(owner: AppUser, values: readonly ClearValue[]) {
    if (values.length === 0) return []
    for (let start = 0; start < mostStarts; start++) {
      const dataKey = await ensureDataKey(owner)
      if (dataKey === null) continue
      const sealed = await Promise.all(values.map((one) => sealValue(one, { owner, cipher, dataKey, randomBytes })))
      const rows = sealed.flatMap(({ row }) => (row === null ? [] : [row]))
      const written = await commits.write(() => writeTokens(owner, dataKey.position, rows))
      if (written === true) return sealed.map(({ answer }) => answer)
    }
    throw new KycError('VAULT_UNAVAILABLE')
  }

  async function audit(
    { owner, actor, purpose }: RevealRequest,
    subject: { readonly token?: string; readonly recordId?: string; readonly part?: string },
  ): Promise<void> {
    const { token = null, recordId = null, part = null } = subject
    const { appId, userId } = owner
    await commits.write(() => {
      statements.insertAudit.run({ at: clock().getTime(), appId, userId, actor, purpose, token, recordId, part })
    })
  }

  async function reveal(request: RevealRequest & { readonly token: string }): Promise<string> {
    const { owner, token } = request
    const row = statements.findToken.get({ ...owner, token })
    const dataKey = findDataKey(owner)
    if (row === undefined) throw new KycError('TOKEN_UNKNOWN')
    if (row.sealed === null || dataKey === null) throw new KycError('NOT_REVEALABLE')
    await audit(request, { token })
    const clear = await cipher.open({
      dataKey,
      keyContext: keyContext(owner),
      context: tokenContext(owner, row.field, row.token),
      sealed: new Uint8Array(row.sealed),
    })
    return new TextDecoder().decode(clear)
  }

  async function openRecord(request: Parameters<PiiCustodian['openRecord']>[0]): Promise<string> {
    const { owner, recordId, part, sealed } = request
    const dataKey = findDataKey(owner)
    if (dataKey === null) throw new KycError('SEAL_BROKEN')
    await audit(request, { recordId, part })
    const context = recordContext(owner, recordId, part)
    const clear = await cipher.open({ dataKey, keyContext: keyContext(owner), context, sealed })
    return new TextDecoder().decode(clear)
  }

  /** What was erased is also out of the WAL then, unless a reader of another process holds it up. */
  function emptyWal(): void {
    if (!client.memory && !client.inTransaction) client.pragma('wal_checkpoint(TRUNCATE)')
  }

  async function eraseOwner(owner: AppUser): Promise<number> {
    const { erased, destroyed } = await commits.write(() => ({
      erased: statements.deleteTokensOfOwner.run({ ...owner }).changes,
      destroyed: statements.deleteDataKey.all({ ...owner }),
    }))
    for (const { keyId, wrapped } of destroyed) cipher.evictDataKey({ keyId, bytes: new Uint8Array(wrapped) })
    emptyWal()
    return erased
  }

  async function rewrapDataKeys({ limit }: { readonly limit: number }) {
    checkedLimit(limit, 1_000)
    const keyId = await cipher.currentKeyId()
    let rewrapped = 0
    const below = statements.listKeysBelow.all({ keyId, limit })
    const above = statements.listKeysAbove.all({ keyId, limit })
    for (const row of [...below, ...above].slice(0, limit)) {
      const former = { keyId: row.keyId, bytes: new Uint8Array(row.wrapped) }
      const fresh = await cipher.rewrapDataKey(former, keyContext(row))
      rewrapped += await commits.write(
        () =>
          statements.rewrapDataKey.run({
            position: row.position,
            formerKeyId: row.keyId,
            keyId: fresh.keyId,
            wrapped: fresh.bytes,
          }).changes,
      )
    }
    const remaining = [statements.countKeysBelow, statements.countKeysAbove]
    return { rewrapped, remaining: remaining.reduce((sum, count) => sum + (count.get({ keyId })?.count ?? 0), 0) }
  }

  function inspectOne(owner: AppUser, token: string): TokenFacts | null {
    const parsed = parseToken(token)
    const row = parsed === null ? undefined : statements.findToken.get({ ...owner, token })
    if (parsed === null || row === undefined) return null
    const createdAt = new Date(row.createdAt)
    return { token: parsed.token, field: row.field, lastFour: parsed.lastFour, createdAt }
  }

  return {
    tokenize: (owner, values) => guarded(() => tokenize(owner, values)),
    fingerprint: (purpose, text) => guarded(() => cipher.fingerprint(purpose, text)),
    inspect: (owner, asked) => guarded(() => asked.map((token) => inspectOne(owner, token))),
    reveal: (request) => guarded(() => reveal(request)),
    openRecord: (request) => guarded(() => openRecord(request)),
    eraseOwner: (owner) => guarded(() => eraseOwner(owner)),
    listOlderThan: ({ ageMs, limit, after }) =>
      guarded(() => {
        const before = clock().getTime() - ageMs
        const start = after === undefined ? undefined : statements.findAge.get({ token: after })
        const { createdAt: afterCreatedAt, position: afterPosition } = start ?? { createdAt: -1, position: -1 }
        const page = { before, afterCreatedAt, afterPosition, limit: checkedLimit(limit, 10_000) }
        return statements.listOlder.all(page).map(({ token }) => token)
      }),
    erase: (erased) =>
      guarded(async () => {
        await commits.write(() => {
          for (const token of erased) statements.deleteToken.run({ token })
        })
        emptyWal()
      }),
    rewrapDataKeys: (request) => guarded(() => rewrapDataKeys(request)),
    close: () =>
      guarded(() => {
        commits.close()
        close()
      }),
  }
}
