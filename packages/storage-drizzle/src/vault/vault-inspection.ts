import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { PiiField } from '@kyc-relay/kyc-core/internal'
import type { AppUser, Token } from '@kyc-relay/kyc-core'

/** Fingerprint of a fixed text under one key of a key file. A replaced key gives another fingerprint. */
export interface KeyCheck {
  readonly keyId: string
  readonly purpose: 'seal' | 'fingerprint' | 'audit'
  readonly checkValue: string
}

/** Vault references of a record: the owner of its data key, and its tokens. */
export interface VaultReference extends AppUser {
  readonly tokens: readonly Token[]
}

/** Users of one app who share a value. */
export interface SharedValue {
  readonly field: PiiField
  /** Ascending, each once; two or more. */
  readonly userIds: readonly string[]
}

/** Right to check whether a vault matches keys and records. Opens no value. */
export interface VaultInspection {
  /**
   * Counts the records without their owner's data key or one of their tokens, including tokens in quarantine. Records
   * of an owner whose erasure is in the vault's audit log are not counted.
   */
  countLacking(references: readonly VaultReference[]): Promise<number>
  /**
   * Finds the time of the owner's newest erasure in the vault's audit log; null if there is none, or no log. A user can come
   * back after it.
   */
  findErasure(owner: AppUser): Promise<Date | null>
  /**
   * Lists the apps for which the vault has a data key of this user, and so may have tokens. An erasure asks: a submission
   * that was not recorded leaves nothing outside the vault.
   */
  listAppsOfUser(userId: string): Promise<readonly string[]>
  /**
   * Lists the values that several users of an app share, by their fingerprint. No value and no fingerprint is returned.
   * It leaves out the first `skip` rows. `limit` 1–200. It reads all tokens of the app. The vault's audit log, if there is
   * one, has an entry with `actor` first; if the entry cannot be written, nothing is listed.
   */
  listShared(page: {
    readonly appId: string
    readonly skip: number
    readonly limit: number
    readonly actor: AuditActor
  }): Promise<readonly SharedValue[]>
  /** Checks whether the vault has no data keys. */
  isEmpty(): Promise<boolean>
  /** Lists the ids of the keys that wrap data keys, each once. */
  listWrappingKeyIds(): Promise<readonly string[]>
  /** Returns the fingerprints of all keys used so far, by key id. */
  listKeyChecks(): Promise<readonly KeyCheck[]>
  /** Stores fingerprints of new keys; those of known keys are not changed. */
  addKeyChecks(checks: readonly KeyCheck[]): Promise<void>
}
