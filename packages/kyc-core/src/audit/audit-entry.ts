/** The two audit logs: that of the stores (verifications) and that of the vault. */
export type AuditLogName = 'stores' | 'vault'

/**
 * What happened. `subject` of the entry means, by kind:
 *
 * - `CHAIN_STARTED`: position of the newest row that was there before the log was; `0` for none
 * - `VERIFICATION_RECORDED`: the verification id
 * - `USER_ERASED`: how many verifications of the user stay
 * - `VALUE_REVEALED`: position of the row that says who looked at what, and why
 * - `OWNER_ERASED`: how many tokens went together with the data key
 * - `TOKENS_QUARANTINED`: how many tokens entered quarantine, since no verification referred to them
 * - `TOKENS_RESTORED`: how many tokens left quarantine
 * - `TOKENS_ERASED`: how many tokens were destroyed after their time in quarantine
 * - `DATA_KEY_REWRAPPED`: id of the key that wraps the data key now
 * - `API_KEY_ADDED`, `API_KEY_ISSUED` (by the operator), `API_KEY_ACTIVATED`, `API_KEY_DISCARDED`, `API_KEY_REVOKED`,
 *   `API_KEY_REWRAPPED`: version of the app's API key
 * - `GRANT_GIVEN`, `GRANT_NARROWED`: the scopes that the user grants to the app from now on
 * - `GRANT_REVOKED`: the scopes that were granted until now
 * - `ACCESS_TOKEN_ISSUED`: SHA-256 of the access token, in hexadecimal
 * - `ENDPOINT_REGISTERED`, `ENDPOINT_REMOVED`: the endpoint id
 * - `SIGNED_IN`: version of the API key that opened the portal, or `operator`
 */
export type AuditKind =
  | 'CHAIN_STARTED'
  | 'VERIFICATION_RECORDED'
  | 'USER_ERASED'
  | 'VALUE_REVEALED'
  | 'OWNER_ERASED'
  | 'TOKENS_QUARANTINED'
  | 'TOKENS_RESTORED'
  | 'TOKENS_ERASED'
  | 'DATA_KEY_REWRAPPED'
  | 'API_KEY_ADDED'
  | 'API_KEY_ISSUED'
  | 'API_KEY_ACTIVATED'
  | 'API_KEY_DISCARDED'
  | 'API_KEY_REVOKED'
  | 'API_KEY_REWRAPPED'
  | 'GRANT_GIVEN'
  | 'GRANT_NARROWED'
  | 'GRANT_REVOKED'
  | 'ACCESS_TOKEN_ISSUED'
  | 'ENDPOINT_REGISTERED'
  | 'ENDPOINT_REMOVED'
  | 'SIGNED_IN'

/** One thing to be written down. No personal data: ids, counts, and digests of rows. */
export interface AuditEvent {
  readonly kind: AuditKind
  /** Milliseconds since 1970, UTC. */
  readonly atMs: number
  readonly appId: string | null
  readonly userId: string | null
  readonly subject: string
  /** SHA-256 of what was recorded and must not change; 64 lower-case hexadecimal characters. */
  readonly contentDigest: string
}

/** One link of a chain as stored. Digests and MACs are 64 lower-case hexadecimal characters. */
export interface AuditEntry extends AuditEvent {
  /** 0 or above; how many there are is the store's choice. */
  readonly chain: number
  /** 1, 2, … without a gap. */
  readonly sequence: number
  /** Id of the audit key that `mac` was made with. */
  readonly keyId: string
  /** `mac` of the entry before; {@link NO_MAC} in the first one. */
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

/** What stands before the first entry of a chain. */
export const NO_MAC = '0'.repeat(64)

/** Which of so many chains what concerns this user (or other text) belongs to: 0 to `chains` − 1. Fixed for ever. */
export function auditChainOf(text: string, chains: number): number {
  // FNV-1a.
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % chains
}
