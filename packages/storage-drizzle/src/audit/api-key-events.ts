import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'
import { rowDigestOf, type StoredApiKey } from './access-rows.js'

/**
 * Creates the entry for a changed version of an app's API key.
 *
 * @param kind `API_KEY_ADDED`: the first one with the app, or a later one in a rotation. `API_KEY_ISSUED`: by the operator,
 *   to an app that lost its key. `API_KEY_RETIRED`: by a newer version. `API_KEY_DISCARDED`: it waited and never signed.
 *   `API_KEY_REVOKED`: by its partner (no reason) or by the operator. `API_KEY_REWRAPPED`: sealed under another key.
 * @param row The row afterwards.
 */
export function apiKeyEvent(
  seal: AuditSeal,
  kind:
    | 'API_KEY_ADDED'
    | 'API_KEY_ISSUED'
    | 'API_KEY_ACTIVATED'
    | 'API_KEY_RETIRED'
    | 'API_KEY_DISCARDED'
    | 'API_KEY_REVOKED'
    | 'API_KEY_REWRAPPED',
  row: StoredApiKey,
  at: Date,
): AuditEvent {
  const { appId, version } = row
  const contentDigest = rowDigestOf.key(seal, row)
  return { kind, atMs: at.getTime(), appId, userId: null, subject: String(version), contentDigest }
}
