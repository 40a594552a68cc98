import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { pagesOfApiKeys } from '../../identity/api-key-pages.js'
import { apiKeyDamaged } from '../../identity/find-damaged.js'
import { rewrapRows } from '../../identity/rewrap-rows.js'
import { rewrapApiKey, wrappingKeyIdOf } from '../../identity/sealed-api-key.js'
import type { Log } from '../log.js'

/**
 * Re-wraps the API keys of apps as {@link rewrapRows} does, and logs damaged ones. The keys themselves do not change.
 *
 * @throws KycError `KEY_UNKNOWN`, `SEAL_BROKEN`.
 */
export async function rewrapApiKeys(
  deps: {
    readonly directory: Pick<AppDirectory, 'pageApiKeys' | 'replaceSealedApiKey'>
    readonly cipher: PiiCipher
    readonly now: () => Date
    readonly log?: Pick<Log, 'warn'>
  },
  shouldContinue: () => boolean = () => true,
  onProgress?: (rewrapped: number) => void,
): Promise<{ readonly rewrapped: number; readonly remaining: number }> {
  const { directory, cipher, now } = deps
  return rewrapRows(
    pagesOfApiKeys(directory, now),
    {
      currentKeyId: await cipher.currentKeyId(),
      wrappingKeyIdOf,
      async rewrap(row) {
        const { appId, version, sealed: former } = row
        const fresh = await rewrapApiKey(cipher, row)
        return directory.replaceSealedApiKey({ appId, version, former, fresh, now: now() })
      },
      onDamaged: ({ appId, version }) => deps.log?.warn(apiKeyDamaged, { appId, keyVersion: version }),
    },
    shouldContinue,
    onProgress,
  )
}
