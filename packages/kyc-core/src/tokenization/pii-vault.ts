import type { Token } from './token.js'

/** Owner of a value: one user of one app. Every value in the vault is bound to both. */
export interface AppUser {
  /** UUID of the partner application. */
  readonly appId: string
  /** UUID of the user. */
  readonly userId: string
}

/** Fields whose value the vault replaces by a token. */
export type PiiField = 'ssn' | 'document_number'

/** One clear value to tokenize or seal. Exists only between parsing and tokenization. */
export type ClearValue =
  | { readonly kind: 'ssn'; readonly value: string }
  | {
      readonly kind: 'document_number'
      readonly value: string
      /** Context of the hash: a number with another document class or country is another document. */
      readonly documentClass: string
      readonly issuingCountryCode: string
    }
  | {
      /** A part of a record, sealed under the owner's data key. It has no token. */
      readonly kind: 'record'
      /** Id of the record that will hold the sealed bytes; bound to them as additional data. */
      readonly recordId: string
      /** Name of the part inside the record, for example `details`; bound to the sealed bytes too. */
      readonly part: string
      readonly value: string
    }

/** Result for one `ClearValue`, of the same kind. */
export type TokenizedValue =
  | { readonly kind: 'ssn'; readonly token: Token }
  | { readonly kind: 'document_number'; readonly token: Token }
  | { readonly kind: 'record'; readonly sealed: Uint8Array }

/** A keyed hash (HMAC-SHA-256, 32 bytes). Equal inputs give equal fingerprints only under the same key. */
export type Fingerprint = Uint8Array

/** A token with its owner. */
export interface OwnedToken extends AppUser {
  readonly token: Token
}

/** Facts about a token that do not reveal its value. */
export interface TokenFacts {
  readonly token: Token
  readonly field: PiiField
  /** Last four digits, for an SSN. */
  readonly lastFour: string | null
  readonly createdAt: Date
}

/**
 * Right to store PII in the vault. The ingestion path has only this right, so it can never reveal a value.
 *
 * Tokenized values are bound to app, user and field; sealed values are also bound to their record and part.
 */
export interface PiiTokenizer {
  /**
   * Tokenizes all values in one atomic write.
   *
   * Results are in the order of `values`. Each call gives fresh random tokens, also for a known value. For a
   * `document_number` the vault stores only its keyed hash. An empty list writes nothing.
   *
   * @throws `VAULT_UNAVAILABLE` (retryable) — nothing was written.
   */
  tokenize(owner: AppUser, values: readonly ClearValue[]): Promise<readonly TokenizedValue[]>

  /**
   * Computes a keyed hash of `value` for a purpose: `payload` (digest of a submission, compared on a replay) or a PII
   * field. Writes nothing.
   */
  fingerprint(purpose: PiiField | 'payload', value: string): Promise<Fingerprint>
}

/** Right to check the existence and owner of tokens. */
export interface TokenInspector {
  /**
   * Returns facts of the tokens, in the order of the request. A token that is unknown, erased, in quarantine, malformed
   * or of another owner gives null; callers cannot distinguish these cases.
   */
  inspect(owner: AppUser, tokens: readonly string[]): Promise<readonly (TokenFacts | null)[]>
}

/** Actor and reason of a reveal. The vault writes both to its audit log before it opens a value. */
export interface RevealRequest {
  readonly owner: AppUser
  readonly actor: string
  readonly purpose: string
}

/** Right to open personal data. The ingestion path never has it. */
export interface PiiRevealer {
  /**
   * Reveals the value of a token. The audit row is committed first; without it nothing is revealed.
   *
   * @throws `TOKEN_UNKNOWN` for a token that is unknown, erased or another owner's; `NOT_REVEALABLE` for a document
   *   number, of which only a hash exists; `VAULT_UNAVAILABLE` (retryable).
   */
  reveal(request: RevealRequest & { readonly token: Token }): Promise<string>

  /**
   * Opens a sealed part of a record. Audited like {@link PiiRevealer.reveal}.
   *
   * @throws `SEAL_BROKEN` when the bytes were not sealed for this owner, record and part, or after the owner was
   *   erased.
   */
  openRecord(
    request: RevealRequest & { readonly recordId: string; readonly part: string; readonly sealed: Uint8Array },
  ): Promise<string>
}

/** Right to erase personal data and to remove tokens without a reference. */
export interface PiiEraser {
  /** Destroys the owner's data key and vault rows. Returns the number of erased tokens; 0 when repeated. */
  eraseOwner(owner: AppUser): Promise<number>

  /**
   * Lists tokens outside quarantine that were created more than `ageMs` milliseconds ago by the vault's clock. Oldest
   * first, after `after` if given. `limit` 1–10,000.
   */
  listOlderThan(request: {
    readonly ageMs: number
    readonly limit: number
    readonly after?: OwnedToken
  }): Promise<readonly OwnedToken[]>

  /**
   * Moves all of these tokens into quarantine, or none. `inspect` returns null for them, so no new submission can use
   * them. {@link PiiRevealer.reveal} still opens them, and {@link PiiEraser.restore} takes them out. Ignored are tokens
   * that are unknown, another owner's or already in quarantine.
   *
   * Returns the number of tokens that entered. Returns null and writes nothing when more than `mostInADay` tokens would
   * have entered within the last 24 hours by the vault's clock. The limit holds for racing callers too.
   */
  quarantine(request: { readonly tokens: readonly OwnedToken[]; readonly mostInADay: number }): Promise<number | null>

  /**
   * Lists tokens that have been in quarantine for more than `ageMs` milliseconds by the vault's clock. Longest first,
   * after `after` if given. `limit` 1–10,000.
   */
  listQuarantined(request: {
    readonly ageMs: number
    readonly limit: number
    readonly after?: OwnedToken
  }): Promise<readonly OwnedToken[]>

  /** Takes tokens out of quarantine and returns their number. Ignores tokens outside quarantine and another owner's. */
  restore(tokens: readonly OwnedToken[]): Promise<number>

  /**
   * Destroys those of these tokens that have been in quarantine for more than `ageMs` milliseconds by the vault's
   * clock. Returns their number. Ignores all other tokens, including one restored at the same time.
   */
  destroyQuarantined(request: { readonly tokens: readonly OwnedToken[]; readonly ageMs: number }): Promise<number>

  /**
   * Counts tokens up to `limit` (1–1,000,000), and quarantined tokens that entered within the last 24 hours by the
   * vault's clock.
   */
  countTokens(request: { readonly limit: number }): Promise<{
    readonly tokens: number
    readonly quarantinedInADay: number
  }>
}

/** Right to re-wrap data keys under the current wrapping key. */
export interface PiiKeyRotation {
  /**
   * Re-wraps up to `limit` data keys (1–1000) that are not under the current wrapping key. Each key is re-wrapped
   * atomically: after a stop at any time every value opens, and the next call continues. `remaining` is the number of
   * data keys left.
   */
  rewrapDataKeys(request: {
    readonly limit: number
  }): Promise<{ readonly rewrapped: number; readonly remaining: number }>
}
