import { randomBytes as cryptoRandomBytes } from 'node:crypto'
import type { AppUser, PiiCipher } from '@kyc-relay/kyc-core'
import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import { checkOptions } from '../check-options.js'
import { dataKeyRewrappedEvent, ownerErasedEvent } from '../audit/erasure-events.js'
import { revealEvent } from '../audit/recorded-content.js'
import type { SqliteMigrationListeners } from '../engine/migrations/ledger.js'
import type { StorageError } from '../storage-error.js'
import { createVault, type StoredVault } from './vault.js'
import type { NewTokenRow } from './sealing.js'
import type { DataKeyRow, TokenRow, VaultRows } from './vault-rows.js'
import { openAuditChain } from '../audit/chain.sqlite.js'
import { createAuditLog } from '../audit/log.sqlite.js'
import { openDatabase } from '../engine/sqlite/open-database.js'
import type { SqliteLocation } from '../engine/sqlite/open.js'
import { createTryWrite } from '../engine/sqlite/readiness.js'
import { watchFailures } from '../engine/sqlite/failure-watch.js'
import { read } from '../engine/sqlite/statement.js'
import type { dataKeys, tokens } from './tables.sqlite.js'
import { createVaultInspection } from './inspection.sqlite.js'
import { createQuarantine } from './quarantine.sqlite.js'
import { prepareVaultStatements } from './statements.sqlite.js'

/** Options of {@link createSqliteVault}. */
export interface SqliteVaultOptions extends SqliteMigrationListeners {
  /** Cryptography, for example `createLocalCipher` of `@kyc-relay/kyc-core/node`. */
  readonly cipher: PiiCipher
  /**
   * Seal of the audit log. With it, the vault records each reveal, erasure and re-wrapped data key in a keyed hash
   * chain, in the same transaction. Every process that opens the vault needs it then. Default: no audit log.
   */
  readonly audit?: AuditSeal
  /** Default: the system clock. */
  readonly clock?: () => Date
  /** Cryptographic randomness for tokens. Default: `node:crypto`. */
  readonly randomBytes?: (size: number) => Uint8Array
  /** `apply` migrates at the start, `require` refuses a schema that is not up to date. Default: `apply`. */
  readonly migrations?: 'apply' | 'require'
  /**
   * Largest database file, in bytes, that is checked for damage before use. 0 disables the check. For a file given by
   * `path`. Default: 256 MiB.
   */
  readonly checkUpToBytes?: number
  /**
   * Called once when the disk or the file failed (`STORE_FAILED`), or when the file or its WAL was removed or replaced
   * (`FILES_REPLACED`). Every later write is refused. End the process; the next one recovers all commits. Default: no
   * call.
   */
  readonly onFailure?: (error: StorageError) => void
}

/**
 * Opens the vault in a separate file. The vault seals an SSN under its owner's data key, and stores only a keyed hash
 * of a document number. It applies migrations before it resolves.
 *
 * A damaged file given by `path`, or one that has lost commits, is refused and not changed. A small file with the
 * suffix `.vault-commits` in the same folder holds the number of commits.
 *
 * @throws StorageError `COMMITS_MISSING`, `DATABASE_DAMAGED`, `STORE_FAILED`, `SCHEMA_NEWER`, `SCHEMA_EDITED`,
 *   `SCHEMA_OUTDATED`, `STORE_UNAVAILABLE`, `DURABILITY_NOT_GUARANTEED`, `ARGUMENT_INVALID` for an unknown or wrong option
 *
 * @example
 * ```ts
 * import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
 * import { createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export function openVault(keyFile: string) {
 *   const cipher = createLocalCipher({ keys: parseKeyFile(keyFile) })
 *   return createSqliteVault({ path: 'data/vault.db' }, { cipher })
 * }
 * ```
 */
export async function createSqliteVault(location: SqliteLocation, options: SqliteVaultOptions): Promise<StoredVault> {
  return openVault(location, options)
}

function openVault(location: SqliteLocation, options: SqliteVaultOptions): StoredVault {
  checkOptions(options, ['cipher'])
  const { cipher, clock: now = () => new Date(), randomBytes = cryptoRandomBytes } = options
  const monotonicMs = options.clock === undefined ? () => performance.now() : () => now().getTime()
  return createVault(openRows(location, options), { cipher, randomBytes, now, monotonicMs })
}

/**
 * Turns of the event loop by which a commit is delayed. Requests whose verifications were just committed need tokens
 * one or two turns later. Without the delay, callers would split into two groups that commit separately.
 */
const delayTurns = 2

function openRows(location: SqliteLocation, options: SqliteVaultOptions): VaultRows {
  const { clock = () => new Date(), audit: seal } = options
  const database = openDatabase(location, {
    ...options,
    history: 'sqlite-vault',
    clock,
    delayTurns,
    start: (client, commits) =>
      seal === undefined ? null : openAuditChain(client, 'vault', { seal, commits, now: clock }),
  })
  const { client, db, commits, checkpoints, started: audit } = database
  const statements = prepareVaultStatements(client, db)

  function findDataKey({ appId, userId }: AppUser): DataKeyRow | null {
    const row = statements.findDataKey.get(appId, userId)
    if (row === undefined) return null
    const [position, keyId, wrapped] = row
    return { position, appId, userId, dataKey: { keyId, bytes: new Uint8Array(wrapped) } }
  }

  function insertTokens({ appId, userId }: AppUser, dataKey: number, rows: readonly NewTokenRow[]): void {
    const createdAt = clock().getTime()
    for (const { token, field, fingerprint, sealed } of rows) {
      statements.insertToken.run(token, appId, userId, field, fingerprint, sealed, createdAt, dataKey)
    }
  }

  function findToken({ appId, userId }: AppUser, token: string): TokenRow | null {
    const row = statements.findToken.get(token, appId, userId)
    return row === undefined ? null : readToken(row)
  }

  const rows: VaultRows = {
    audit: audit === null ? null : watchFailures(createAuditLog(client, 'vault', audit.seal), commits.fail),
    inspection: watchFailures(createVaultInspection({ db, commits, audit, clock }), commits.fail),
    findDataKey: (owner) => read(() => findDataKey(owner)),
    findDataKeys: (owners) => read(() => owners.map(findDataKey)),
    insertDataKeyAndTokens: (owner, { keyId, bytes }, rows) =>
      commits.write(() => {
        const { appId, userId } = owner
        const key = statements.insertDataKey.run(appId, userId, keyId, bytes, clock().getTime())
        if (key.changes === 0) return false
        insertTokens(owner, Number(key.lastInsertRowid), rows)
        return true
      }),
    insertTokens: (owner, dataKeyPosition, rows) =>
      commits.write(() => {
        if (statements.findDataKeyPosition.get(owner.appId, owner.userId)?.[0] !== dataKeyPosition) return false
        insertTokens(owner, dataKeyPosition, rows)
        return true
      }),
    findToken: (owner, token) => read(() => findToken(owner, token)),
    findTokens: (owner, asked) => read(() => asked.map((token) => findToken(owner, token))),
    insertAudit: ({ owner, actor, purpose }, subject) =>
      commits.write(() => {
        const looked = { token: null, recordId: null, part: null, ...subject }
        const { appId, userId } = owner
        const reveal = { atMs: clock().getTime(), appId, userId, actor, purpose, ...looked }
        const { position } = statements.insertAudit.get({ ...reveal, at: reveal.atMs })
        audit?.append(revealEvent(audit.seal, position, reveal))
      }),
    async deleteOwner({ appId, userId }) {
      const deleted = await commits.write(() => {
        const keys = statements.deleteDataKey.all({ appId, userId })
        const tokens = keys.reduce(
          (sum, { position }) => sum + statements.deleteTokensOfDataKey.run({ position }).changes,
          0,
        )
        const dataKeys = keys.map((row) => readDataKey(row).dataKey)
        if (tokens + dataKeys.length > 0) {
          audit?.append(ownerErasedEvent(audit.seal, { appId, userId }, clock().getTime(), { tokens, dataKeys }))
        }
        return { tokens, dataKeys }
      })
      await checkpoints.empty()
      return deleted
    },
    ...createQuarantine({ db, commits, checkpoints, audit, clock }),
    listDataKeysNotUnder: (keyId, limit) =>
      read(() => {
        const below = statements.listKeysBelow.all({ keyId, limit })
        const above = statements.listKeysAbove.all({ keyId, limit })
        return [...below, ...above].slice(0, limit).map(readDataKey)
      }),
    countDataKeysNotUnder: (keyId) =>
      read(() => {
        const counts = [statements.countKeysBelow.get({ keyId }), statements.countKeysAbove.get({ keyId })]
        return counts.reduce((sum, row) => sum + (row?.count ?? 0), 0)
      }),
    replaceDataKey: (former, fresh) =>
      commits.write(() => {
        const { position, dataKey } = former
        const row = { position, formerKeyId: dataKey.keyId, keyId: fresh.keyId, wrapped: fresh.bytes }
        if (statements.rewrapDataKey.run(row).changes === 0) return false
        audit?.append(dataKeyRewrappedEvent(audit.seal, former, clock().getTime(), fresh))
        return true
      }),
    tryWrite: createTryWrite(client, commits, { part: 'vault', clock }),
    close: database.close,
  }
  return watchFailures(rows, commits.fail)
}

function readDataKey(row: typeof dataKeys.$inferSelect): DataKeyRow {
  const { position, appId, userId, keyId, wrapped } = row
  return { position, appId, userId, dataKey: { keyId, bytes: new Uint8Array(wrapped) } }
}

type StoredToken = Pick<typeof tokens.$inferSelect, 'token' | 'field' | 'sealed' | 'createdAt' | 'quarantinedAt'>

function readToken({ token, field, sealed, createdAt, quarantinedAt }: StoredToken): TokenRow {
  return {
    token,
    field,
    sealed: sealed === null ? null : new Uint8Array(sealed),
    createdAt: new Date(createdAt),
    inQuarantine: quarantinedAt !== null,
  }
}
