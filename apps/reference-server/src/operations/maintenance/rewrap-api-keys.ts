import { KycError, type PiiCipher } from '@kyc-relay/kyc-core'
import type { ApiKeyRow } from '@kyc-relay/storage-drizzle/internal'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { pagesOfApiKeys } from '../../identity/api-key-pages.js'
import { apiKeyDamaged } from '../../identity/find-damaged.js'
import { rewrapApiKey, wrappingKeyIdOf } from '../../identity/sealed-api-key.js'
import type { Log } from '../log.js'

type Directory = Pick<AppDirectory, 'pageApiKeys' | 'replaceSealedApiKey'>

/**
 * Re-wraps the API keys of apps under the current wrapping key, each in one write. It continues after a stop, and two
 * processes may run it at once. The keys themselves do not change.
 *
 * @param onProgress Called after each page. Keys re-wrapped by another process meanwhile do not count as remaining.
 * @throws KycError `KEY_UNKNOWN` when the key file lacks a wrapping key; `SEAL_BROKEN` in the end when some are damaged.
 */
export async function rewrapApiKeys(
  deps: {
    readonly directory: Directory
    readonly cipher: PiiCipher
    readonly now: () => Date
    readonly log?: Pick<Log, 'warn'>
  },
  onProgress: (progress: { readonly rewrapped: number; readonly remaining: number }) => void = () => undefined,
  shouldContinue: () => boolean = () => true,
): Promise<number> {
  const { directory, cipher, now } = deps
  const current = await cipher.currentKeyId()
  const outdatedOf = (page: readonly ApiKeyRow[]) => page.filter((row) => !isUnder(current, row))
  const outdatedByPage: number[] = []
  for await (const page of pagesOfApiKeys(directory, now)) outdatedByPage.push(outdatedOf(page).length)
  let remaining = outdatedByPage.reduce((sum, count) => sum + count, 0)
  let rewrapped = 0
  let damaged: KycError | null = null
  if (remaining === 0) return rewrapped
  for await (const page of pagesOfApiKeys(directory, now)) {
    const outdated = outdatedOf(page)
    // Also after a page that another process had already re-wrapped.
    const counted = outdatedByPage.shift() ?? 0
    remaining -= counted
    for (const row of outdated) {
      if (!shouldContinue()) return rewrapped
      const { appId, version, sealed: former } = row
      try {
        const fresh = await rewrapApiKey(cipher, row)
        if (await directory.replaceSealedApiKey({ appId, version, former, fresh, now: now() })) rewrapped += 1
      } catch (error) {
        // A damaged key must not hold up those after it.
        if (!(error instanceof KycError) || error.code !== 'SEAL_BROKEN') throw error
        damaged = error
        remaining += 1
        deps.log?.warn(apiKeyDamaged, { appId, keyVersion: version })
      }
    }
    if (counted + outdated.length > 0) onProgress({ rewrapped, remaining })
  }
  if (damaged !== null) throw damaged
  return rewrapped
}

/** Whether the key is wrapped under this wrapping key. A damaged key is not. */
function isUnder(keyId: string, row: ApiKeyRow): boolean {
  try {
    return wrappingKeyIdOf(row) === keyId
  } catch {
    return false
  }
}
