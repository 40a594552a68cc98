import type { AppUser, PiiEraser, Token } from '@kyc-relay/kyc-core'
import type { PiiField, RevealRequest, WrappedDataKey } from '@kyc-relay/kyc-core/internal'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import type { NewTokenRow } from './sealing.js'
import type { VaultInspection } from './vault-inspection.js'

/** A stored data key. `position` distinguishes it from a later key of the same owner. */
export interface DataKeyRow extends AppUser {
  readonly position: number
  readonly dataKey: WrappedDataKey
}

/** A stored token. */
export interface TokenRow {
  readonly token: Token
  readonly field: PiiField
  readonly sealed: Uint8Array | null
  readonly createdAt: Date
  readonly inQuarantine: boolean
}

/** Revealed value, for the audit log: a token without digits, or a part of a record. */
export type AuditSubject = { readonly token: string } | { readonly recordId: string; readonly part: string }

/** Ages of tokens and quarantine. The methods work as those of `PiiEraser`. */
export type QuarantineRows = Pick<
  PiiEraser,
  'listOlderThan' | 'quarantine' | 'listQuarantined' | 'restore' | 'destroyQuarantined' | 'countTokens'
>

/** Rows of a vault in one engine. Every method is atomic; writes resolve when durable. */
export interface VaultRows extends QuarantineRows {
  /** The audit log; null if there is none. */
  readonly audit: AuditLog | null
  readonly inspection: VaultInspection
  findDataKey(owner: AppUser): Promise<DataKeyRow | null>
  /** Finds the data keys of owners, in the order of the request. */
  findDataKeys(owners: readonly AppUser[]): Promise<readonly (DataKeyRow | null)[]>
  /**
   * Writes the owner's first data key and all rows sealed under it. Returns false and writes nothing when the owner has
   * a key.
   */
  insertDataKeyAndTokens(owner: AppUser, dataKey: WrappedDataKey, rows: readonly NewTokenRow[]): Promise<boolean>
  /** Writes all rows. Returns false and writes nothing when the owner's data key has changed. */
  insertTokens(owner: AppUser, dataKeyPosition: number, rows: readonly NewTokenRow[]): Promise<boolean>
  findToken(owner: AppUser, token: string): Promise<TokenRow | null>
  /** Finds tokens, in the order of the request. */
  findTokens(owner: AppUser, tokens: readonly string[]): Promise<readonly (TokenRow | null)[]>
  /**
   * Writes the row of a reveal and, with an audit log, its entry in the same transaction. The writes below do the same.
   */
  insertAudit(request: RevealRequest, subject: AuditSubject): Promise<void>
  /** Deletes the tokens and the data key. Returns the number of tokens, and the key if there was one. */
  deleteOwner(owner: AppUser): Promise<{ readonly tokens: number; readonly dataKeys: readonly WrappedDataKey[] }>
  listDataKeysNotUnder(keyId: string, limit: number): Promise<readonly DataKeyRow[]>
  countDataKeysNotUnder(keyId: string): Promise<number>
  /** Replaces a wrapped data key; false when it was replaced meanwhile. */
  replaceDataKey(former: DataKeyRow, fresh: WrappedDataKey): Promise<boolean>
  /** Writes the row of the readiness check. */
  tryWrite(): Promise<void>
  close(): Promise<void>
}
