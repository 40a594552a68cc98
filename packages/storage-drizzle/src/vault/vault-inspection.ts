import type { AppUser, Token } from '@kyc-relay/kyc-core'

/** What one key of a key file makes of a fixed text. A key that was replaced makes something else of it. */
export interface KeyCheck {
  readonly keyId: string
  readonly purpose: 'seal' | 'fingerprint' | 'audit'
  readonly checkValue: string
}

/** What a record outside the vault needs from it: its owner's data key, and these tokens. */
export interface VaultReference extends AppUser {
  readonly tokens: readonly Token[]
}

/** The right to ask whether a vault belongs to given keys and records. Opens no value. */
export interface VaultInspection {
  /**
   * How many of these records lack their owner's data key or one of their tokens, in quarantine or not. Records of an
   * owner whose erasure is in the vault's audit log are not counted.
   */
  countLacking(references: readonly VaultReference[]): Promise<number>
  /** Whether the vault holds no data key at all. */
  isEmpty(): Promise<boolean>
  /** Ids of the keys that wrap data keys, each once. */
  listWrappingKeyIds(): Promise<readonly string[]>
  /** Checks of all keys that were ever used, by key id. */
  listKeyChecks(): Promise<readonly KeyCheck[]>
  /** Keeps checks of keys that are not known yet; those of known keys stay as they are. */
  addKeyChecks(checks: readonly KeyCheck[]): Promise<void>
}
