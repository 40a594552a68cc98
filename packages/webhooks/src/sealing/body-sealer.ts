/** Place of a value to seal: its owner and its row. It is authenticated with the value, so no other row opens it. */
export interface BodyPlace {
  readonly appId: string
  readonly userId: string
  /** `event`: the body of an event. `transaction`: the fields of a transaction. */
  readonly part: 'event' | 'transaction'
  /** Id of the event or of the transaction. */
  readonly recordId: string
}

/**
 * Seals event bodies and transaction fields under a key of their user, so that destroying the key erases them
 * everywhere, in backups too. `createSqliteVault` and `createPostgresVault` of `@kyc-relay/storage-drizzle` have one.
 *
 * Without a sealer these bytes are stored as they are. Publishers, workers and readers of one store need the same
 * sealer.
 *
 * @example
 * ```ts
 * import type { BodySealer } from '@kyc-relay/webhooks/delivery'
 *
 * export const readBodies = (sealer: BodySealer, appId: string, userId: string, eventId: string, sealed: Uint8Array) =>
 *   sealer.open([{ appId, userId, part: 'event', recordId: eventId, sealed }])
 * ```
 */
export interface BodySealer {
  /**
   * Seals values, in the order of the request. The first value of a user makes the user's key. Rejects if a key cannot be
   * made or read.
   */
  seal(values: readonly (BodyPlace & { readonly clear: Uint8Array })[]): Promise<readonly Uint8Array[]>
  /**
   * Opens values, in the order of the request; null for each whose key was destroyed. Rejects if a value cannot be opened
   * for another reason.
   *
   * A process may keep keys for at most 60 s. For that time after an erasure another process can open a value, and what it
   * seals counts as erased.
   */
  open(values: readonly (BodyPlace & { readonly sealed: Uint8Array })[]): Promise<readonly (Uint8Array | null)[]>
}
