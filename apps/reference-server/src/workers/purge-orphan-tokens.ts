import { MAX_TOKEN_AGE_MS, type PiiCustodian, type Token, type VerificationStore } from '@kyc-relay/kyc-core'

const hourMs = 60 * 60 * 1000

/**
 * Older tokens that no verification refers to are what a crash between vault and record left behind. A token is taken
 * for 24 hours; the hour more is for a submission that was checked just then and is being recorded, and for two clocks
 * that differ.
 */
export const orphanAgeMs = MAX_TOKEN_AGE_MS + hourMs

const pageSize = 500

const wholePassEveryMs = 24 * hourMs

/**
 * Removes tokens that are older than 25 hours and that no verification refers to. A submission with a token older than
 * 24 hours is refused, so none of them can become referred to meanwhile.
 *
 * @param mayGoOn Asked before each page; what is left then is found by the next run.
 * @param onProgress Told after each page.
 * @returns how many were looked at and how many went.
 */
export type PurgeOrphanTokens = (
  mayGoOn?: () => boolean,
  onProgress?: (progress: { readonly examined: number; readonly erased: number }) => void,
) => Promise<{ readonly examined: number; readonly erased: number }>

/**
 * Each run goes on where the one before ended: a token that was found referred to stays so. Once a day, and first of all,
 * a run begins with the oldest token, for those that a clock which stepped back has put among the older ones.
 *
 * @param deps.nowMs Milliseconds that never run backwards.
 */
export function createOrphanPurge(deps: {
  readonly custodian: Pick<PiiCustodian, 'listOlderThan' | 'erase'>
  readonly verifications: Pick<VerificationStore, 'findReferencedTokens'>
  readonly nowMs: () => number
}): PurgeOrphanTokens {
  let after: Token | undefined
  let wholePassAtMs = -Infinity

  return async (mayGoOn = () => true, onProgress = () => undefined) => {
    const atMs = deps.nowMs()
    if (atMs - wholePassAtMs >= wholePassEveryMs) {
      after = undefined
      wholePassAtMs = atMs
    }
    let examined = 0
    let erased = 0
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
      onProgress({ examined, erased })
      // The place in the list is that of a token that is still there.
      after = page.findLast((token) => referenced.has(token)) ?? after
      if (page.length < pageSize) break
    }
    return { examined, erased }
  }
}
