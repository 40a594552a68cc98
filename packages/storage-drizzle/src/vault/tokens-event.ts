import { type Token } from '@kyc-relay/kyc-core'
import { tokenWithoutDigits, type AuditEvent } from '@kyc-relay/kyc-core/internal'
import type { AuditSeal } from '@kyc-relay/kyc-core/audit'

/** Creates the entry for tokens that entered or left quarantine, or were destroyed after it. */
export function tokensEvent(
  seal: AuditSeal,
  kind: 'TOKENS_QUARANTINED' | 'TOKENS_RESTORED' | 'TOKENS_ERASED',
  atMs: number,
  tokens: readonly Token[],
): AuditEvent {
  const contentDigest = seal.digest(tokens.map(tokenWithoutDigits).sort())
  return { kind, atMs, appId: null, userId: null, subject: String(tokens.length), contentDigest }
}
