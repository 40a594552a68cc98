/** Names of the two audit logs: one for the verification store, one for the vault. */
export type AuditLogName = 'stores' | 'vault'

/**
 * Kinds of audit entries. The kind decides what `subject` holds:
 *
 * - `CHAIN_STARTED`: position of the newest row written before the log existed; `0` for none
 * - `VERIFICATION_RECORDED`: the verification id
 * - `USER_ERASED`: number of the user's verifications, which are kept
 * - `KYC_STATUS_CORRECTED`: id of the correction
 * - `PHOTO_URL_REPLACED`: id of the photo job
 * - `VALUE_REVEALED`: position of the row with who revealed which value, and why
 * - `OWNER_ERASED`: number of tokens erased with the data key
 * - `TOKENS_QUARANTINED`: number of tokens quarantined because no verification referred to them
 * - `TOKENS_RESTORED`: number of tokens taken out of quarantine
 * - `TOKENS_ERASED`: number of tokens destroyed after their time in quarantine
 * - `DATA_KEY_REWRAPPED`: id of the key that wraps the data key now
 * - `APP_CREATED`: the app id
 * - `API_KEY_ADDED`, `API_KEY_ISSUED` (by the operator), `API_KEY_ACTIVATED`, `API_KEY_RETIRED` (by a newer version),
 *   `API_KEY_DISCARDED`, `API_KEY_REVOKED`, `API_KEY_REWRAPPED`: version of the app's API key
 * - `GRANT_GIVEN`, `GRANT_NARROWED`: scopes that the app has afterwards
 * - `GRANT_REVOKED`: scopes that the app had before
 * - `ACCESS_TOKEN_ISSUED`: SHA-256 of the access token, in hexadecimal
 * - `ENDPOINT_REGISTERED`, `ENDPOINT_REMOVED`, `ENDPOINT_PAUSED`, `ENDPOINT_RESUMED`: the endpoint id
 * - `LEGAL_HOLD_PLACED` (also with a new reason), `LEGAL_HOLD_RELEASED`: the user id
 * - `ERASURE_STARTED`: id of the erasure
 * - `DUPLICATES_LISTED`: number of shared values that the page left out before its first one
 * - `EXPORT_STARTED`, `EXPORT_COMPLETED`: id of the export
 * - `USER_CLOSED`: time since when the account is closed, or `open`
 * - `RETENTION_REPORT_CONFIRMED`: id of the report of users to erase
 * - `SIGNED_IN`: version of the API key that opened the portal, or `operator`
 */
export type AuditKind =
  | 'CHAIN_STARTED'
  | 'VERIFICATION_RECORDED'
  | 'USER_ERASED'
  | 'KYC_STATUS_CORRECTED'
  | 'PHOTO_URL_REPLACED'
  | 'VALUE_REVEALED'
  | 'OWNER_ERASED'
  | 'TOKENS_QUARANTINED'
  | 'TOKENS_RESTORED'
  | 'TOKENS_ERASED'
  | 'DATA_KEY_REWRAPPED'
  | 'APP_CREATED'
  | 'API_KEY_ADDED'
  | 'API_KEY_ISSUED'
  | 'API_KEY_ACTIVATED'
  | 'API_KEY_RETIRED'
  | 'API_KEY_DISCARDED'
  | 'API_KEY_REVOKED'
  | 'API_KEY_REWRAPPED'
  | 'GRANT_GIVEN'
  | 'GRANT_NARROWED'
  | 'GRANT_REVOKED'
  | 'ACCESS_TOKEN_ISSUED'
  | 'ENDPOINT_REGISTERED'
  | 'ENDPOINT_REMOVED'
  | 'ENDPOINT_PAUSED'
  | 'ENDPOINT_RESUMED'
  | 'LEGAL_HOLD_PLACED'
  | 'LEGAL_HOLD_RELEASED'
  | 'ERASURE_STARTED'
  | 'DUPLICATES_LISTED'
  | 'EXPORT_STARTED'
  | 'EXPORT_COMPLETED'
  | 'USER_CLOSED'
  | 'RETENTION_REPORT_CONFIRMED'
  | 'SIGNED_IN'

/** Who acted, and why. */
export interface AuditActor {
  /**
   * Name as the log keeps it. The reference server writes `operator:<name>` for the credential of a person,
   * `claimed:<name>` as a service says, `service` for a service that names nobody, `app:<id>` for a partner who reads back, and
   * `photo worker`.
   */
  readonly name: string
  /** Reason or purpose as given; null without one. */
  readonly reason: string | null
}

/** An event to record. Holds ids, counts and digests of rows, and who acted why; never other personal data. */
export interface AuditEvent {
  readonly kind: AuditKind
  /** Milliseconds since 1970, UTC. */
  readonly atMs: number
  readonly appId: string | null
  readonly userId: string | null
  readonly subject: string
  /** SHA-256 of the recorded data that must not change; 64 lower-case hexadecimal characters. */
  readonly contentDigest: string
  /** Name of the {@link AuditActor}; null or absent if nobody was named. */
  readonly actor?: string | null
  /** Reason of the {@link AuditActor}. */
  readonly reason?: string | null
}

/** One link of a chain as stored. Digests and MACs are 64 lower-case hexadecimal characters. */
export interface AuditEntry extends AuditEvent {
  readonly actor: string | null
  readonly reason: string | null
  /** Number of the chain, 0 or above. The store chooses how many chains it has. */
  readonly chain: number
  /** 1, 2, … without a gap. */
  readonly sequence: number
  /** Id of the audit key that `mac` was made with. */
  readonly keyId: string
  /** `mac` of the previous entry; 64 zeros in the first entry. */
  readonly previousMac: string
  /** HMAC-SHA-256 over everything above. */
  readonly mac: string
}

/** The newest entry of a chain. */
export interface AuditHead {
  readonly chain: number
  readonly sequence: number
  readonly mac: string
}

/** Previous MAC of the first entry of a chain. */
export const NO_MAC = '0'.repeat(64)

/** Returns the chain for a user id or another text: 0 to `chains` − 1. The mapping never changes. */
export function auditChainOf(text: string, chains: number): number {
  // FNV-1a.
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % chains
}
