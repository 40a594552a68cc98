import type { Token } from './token.js'

/** Whose value it is: one user as known to one app. Everything in the vault is bound to both. */
export interface AppUser {
  /** UUID of the partner application. */
  readonly appId: string
  /** UUID of the user. */
  readonly userId: string
}

/** Fields that are replaced by a token. */
export type PiiField = 'ssn' | 'document_number'

/** One clear value on its way into the vault. Exists only between parsing and tokenization. */
export type ClearValue =
  | { readonly kind: 'ssn'; readonly value: string }
  | {
      readonly kind: 'document_number'
      readonly value: string
      /** Context of the hash: the same number on another class or of another country is another document. */
      readonly documentClass: string
      readonly issuingCountryCode: string
    }
  | {
      /** A part of a record that is kept sealed under the owner's data key and is not looked up: no token. */
      readonly kind: 'record'
      /** Id of the record that will hold the sealed bytes; bound to them as additional data. */
      readonly recordId: string
      /** Name of the part inside the record, for example `details`; bound likewise. */
      readonly part: string
      readonly value: string
    }

/** What the vault gives back for one {@link ClearValue}, of the same kind. */
export type TokenizedValue =
  | { readonly kind: 'ssn'; readonly token: Token }
  | { readonly kind: 'document_number'; readonly token: Token }
  | { readonly kind: 'record'; readonly sealed: Uint8Array }

/** A keyed hash (HMAC-SHA-256, 32 bytes). Equal inputs give equal fingerprints only under the same key. */
export type Fingerprint = Uint8Array

/** What may be said about a token without revealing what it refers to. */
export interface TokenFacts {
  readonly token: Token
  readonly field: PiiField
  /** Last four digits, for an SSN. */
  readonly lastFour: string | null
  readonly createdAt: Date
}

/**
 * The right to put PII into the vault. The ingestion path holds this right and no other: it can never reveal.
 *
 * Values are bound to app, user and field; sealed values also to their record and part.
 */
export interface PiiTokenizer {
  /**
   * Tokenizes all values, or none: one atomic write.
   *
   * Answers are in the order of `values`. Each call gives fresh random tokens, also for a value seen before.
   * A `document_number` leaves only its keyed hash in the vault. With no values it writes nothing.
   *
   * @throws `VAULT_UNAVAILABLE` (retryable) — nothing was written.
   */
  tokenize(owner: AppUser, values: readonly ClearValue[]): Promise<readonly TokenizedValue[]>

  /**
   * A keyed hash of `value`, separated by purpose: `payload` (digest of a submission, compared on a replay) or a PII field.
   * Writes nothing.
   */
  fingerprint(purpose: PiiField | 'payload', value: string): Promise<Fingerprint>
}

/** The right to ask whether tokens exist and whose they are. */
export interface TokenInspector {
  /**
   * Facts of each token in the order asked, or null for one that is unknown, erased, in quarantine, malformed, or owned
   * by another app or user: these cannot be told apart.
   */
  inspect(owner: AppUser, tokens: readonly string[]): Promise<readonly (TokenFacts | null)[]>
}

/** Who opens a value, and why. Both are written to the vault's audit before anything is opened. */
export interface RevealRequest {
  readonly owner: AppUser
  readonly actor: string
  readonly purpose: string
}

/** The right to open personal data. Held by operations, never by the ingestion path. */
export interface PiiRevealer {
  /**
   * The clear value of a token. The audit row is committed first; when that fails, nothing is revealed.
   *
   * @throws `TOKEN_UNKNOWN` for a token that is unknown, erased or another owner's; `NOT_REVEALABLE` for a document
   *   number, of which only a hash exists; `VAULT_UNAVAILABLE` (retryable).
   */
  reveal(request: RevealRequest & { readonly token: Token }): Promise<string>

  /**
   * The clear text of a sealed part of a record. Audited like {@link PiiRevealer.reveal}.
   *
   * @throws `SEAL_BROKEN` when the bytes were not sealed for this owner, record and part, or the owner was erased.
   */
  openRecord(
    request: RevealRequest & { readonly recordId: string; readonly part: string; readonly sealed: Uint8Array },
  ): Promise<string>
}

/** The right to erase personal data and to purge tokens that nothing refers to. Held by operations. */
export interface PiiEraser {
  /** Destroys the owner's data key and vault rows. Answers how many tokens went. Harmless when repeated. */
  eraseOwner(owner: AppUser): Promise<number>

  /**
   * Tokens that are not in quarantine and were created more than `ageMs` milliseconds ago by the vault's clock, oldest
   * first, after `after` if given. `limit` 1–10,000.
   */
  listOlderThan(request: {
    readonly ageMs: number
    readonly limit: number
    readonly after?: Token
  }): Promise<readonly Token[]>

  /**
   * Puts tokens into quarantine, all of them or none: `inspect` no longer knows them, so no new submission can use them.
   * {@link PiiRevealer.reveal} still opens them, and {@link PiiEraser.restore} takes them out again. Unknown tokens and tokens that are
   * in quarantine are passed over.
   *
   * Answers how many entered. Answers null and writes nothing when more than `mostInADay` of the tokens in quarantine
   * would then have entered within the last 24 hours by the vault's clock. That holds for any number of racing callers.
   */
  quarantine(request: { readonly tokens: readonly Token[]; readonly mostInADay: number }): Promise<number | null>

  /**
   * Tokens that have been in quarantine for more than `ageMs` milliseconds by the vault's clock, longest first, after
   * `after` if given. `limit` 1–10,000.
   */
  listQuarantined(request: {
    readonly ageMs: number
    readonly limit: number
    readonly after?: Token
  }): Promise<readonly Token[]>

  /** Takes tokens out of quarantine and answers how many. Tokens that are not in it are passed over. */
  restore(tokens: readonly Token[]): Promise<number>

  /**
   * Destroys those of these tokens that have been in quarantine for more than `ageMs` milliseconds by the vault's clock,
   * and answers how many. All other tokens are passed over, also one that is restored at the same moment.
   */
  destroyQuarantined(request: { readonly tokens: readonly Token[]; readonly ageMs: number }): Promise<number>

  /**
   * How many tokens there are, counted up to `limit` (1–1,000,000), and how many of those in quarantine entered it within
   * the last 24 hours by the vault's clock.
   */
  countTokens(request: { readonly limit: number }): Promise<{
    readonly tokens: number
    readonly quarantinedInADay: number
  }>
}

/** The right to move data keys under the current wrapping key. Held by operations. */
export interface PiiKeyRotation {
  /**
   * Re-wraps up to `limit` data keys (1–1000) that are not under the current wrapping key, each one atomically: after a
   * stop at any moment every value opens, and the next call goes on where this one stopped. `remaining` is what is left.
   */
  rewrapDataKeys(request: {
    readonly limit: number
  }): Promise<{ readonly rewrapped: number; readonly remaining: number }>
}
