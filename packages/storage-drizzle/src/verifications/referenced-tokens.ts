import type { AppUser, OwnedToken, Token } from '@kyc-relay/kyc-core'

/** Tokens of one verification. */
interface TokensOfVerification extends AppUser {
  readonly ssnToken: string | null
  readonly documentNumberToken: string | null
}

/** Returns the asked tokens that a verification of their owner has. */
export function referencedTokens(
  asked: readonly OwnedToken[],
  verifications: readonly TokensOfVerification[],
): ReadonlySet<Token> {
  const key = ({ appId, userId }: AppUser, token: string | null) => JSON.stringify([appId, userId, token])
  const held = new Set(
    verifications.flatMap((row) => [row.ssnToken, row.documentNumberToken].map((token) => key(row, token))),
  )
  return new Set(asked.filter((owned) => held.has(key(owned, owned.token))).map(({ token }) => token))
}
