import type { PiiCustodian, Token, VerificationStore } from '@kyc-relay/kyc-core'

/** Older tokens that no verification refers to are what a crash between vault and record left behind. */
export const orphanAgeMs = 24 * 60 * 60 * 1000

const pageSize = 500

/**
 * Removes tokens that are older than 24 h and that no verification refers to. Recording a token that old is refused, so
 * none of them can become referred to meanwhile.
 *
 * @param mayGoOn Asked before each page; what is left then is found by the next run.
 * @returns how many were looked at and how many went.
 */
export async function purgeOrphanTokens(
  deps: {
    readonly custodian: Pick<PiiCustodian, 'listOlderThan' | 'erase'>
    readonly verifications: Pick<VerificationStore, 'findReferencedTokens'>
  },
  mayGoOn: () => boolean = () => true,
): Promise<{ readonly examined: number; readonly erased: number }> {
  let examined = 0
  let erased = 0
  let after: Token | undefined
  while (mayGoOn()) {
    const page = await deps.custodian.listOlderThan({
      ageMs: orphanAgeMs,
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    })
    const referenced = await deps.verifications.findReferencedTokens(page)
    const orphans = page.filter((token) => !referenced.has(token))
    if (orphans.length > 0) await deps.custodian.erase(orphans)
    examined += page.length
    erased += orphans.length
    if (page.length < pageSize) break
    // The place in the list is that of a token that is still there.
    after = page.findLast((token) => referenced.has(token)) ?? after
  }
  return { examined, erased }
}
