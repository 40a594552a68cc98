import { setImmediate as nextTurn } from 'node:timers/promises'
import { spoilt } from './spoilt.js'
import type { WrongStorage } from '../wrong-storage.js'

const count = 'SELECT count(*) FROM kyc_relay_api_keys WHERE app_id = ?'

/** Wrong directories of keys, each caught by one case. */
export const wrongKeys: readonly WrongStorage[] = [
  [
    'finds a key by the beginning of its hash',
    'AD-01',
    spoilt((apps, { database }) => ({
      async findApiKey(hash, now) {
        const whole = database
          .prepare<[Uint8Array], Buffer>('SELECT hash FROM kyc_relay_api_keys WHERE substr(hash, 1, 31) = ?')
          .pluck()
          .get(hash)
        return apps.findApiKey(whole ?? hash, now)
      },
    })),
  ],
  [
    'lists the keys of the first app only',
    'AD-04',
    spoilt((apps) => ({ listApiKeys: (appIds, now) => apps.listApiKeys(appIds.slice(0, 1), now) })),
  ],
  [
    'says that a version is taken where another one waits',
    'AD-06',
    spoilt((apps) => ({
      async addApiKey(key) {
        const answer = await apps.addApiKey(key)
        return answer === 'rotation_pending' ? 'version_taken' : answer
      },
    })),
  ],
  [
    'tells everybody who saw no waiting version that theirs was added',
    'AD-07',
    spoilt((apps) => ({
      async addApiKey(key) {
        const keys = await apps.listApiKeys([key.appId], key.createdAt)
        const wasFree = keys.every(({ signsFrom }) => signsFrom <= key.createdAt)
        await nextTurn()
        const answer = await apps.addApiKey(key)
        return wasFree && answer === 'rotation_pending' ? 'added' : answer
      },
    })),
  ],
  [
    'says that it activated the first key',
    'AD-08',
    spoilt((apps) => ({
      async activateApiKey(request) {
        const isFirst = (await apps.findNewestApiKeyVersion(request.appId)) === 1
        return (await apps.activateApiKey(request)) || isFirst
      },
    })),
  ],
  [
    'tells everybody who saw a waiting version that they activated it',
    'AD-09',
    spoilt((apps) => ({
      async activateApiKey(request) {
        const keys = await apps.listApiKeys([request.appId], request.now)
        const waits = keys.some(({ signsFrom }) => signsFrom > request.now)
        await nextTurn()
        return (await apps.activateApiKey(request)) || waits
      },
    })),
  ],
  [
    'ends a retired key half a second early',
    'AD-10',
    spoilt((apps) => ({ findApiKey: (hash, now) => apps.findApiKey(hash, new Date(now.getTime() + 500)) })),
  ],
  [
    'puts off a retirement when a third version is activated',
    'AD-11',
    spoilt((apps, { database }) => ({
      async activateApiKey(request) {
        const isActivated = await apps.activateApiKey(request)
        const versions = database.prepare<[string], number>(count).pluck().get(request.appId) ?? 0
        if (isActivated && versions > 2) {
          database
            .prepare('UPDATE kyc_relay_api_keys SET retired_at = ? WHERE app_id = ? AND retired_at IS NOT NULL')
            .run(request.retireOldAt.getTime(), request.appId)
        }
        return isActivated
      },
    })),
  ],
  [
    'says that it sealed a version that is not there',
    'AD-15',
    spoilt((apps) => ({
      async replaceSealedApiKey(request) {
        const isReplaced = await apps.replaceSealedApiKey(request)
        return isReplaced || request.version > (await apps.findNewestApiKeyVersion(request.appId))
      },
    })),
  ],
  [
    'takes the time of the sealing for that of the key',
    'AD-16',
    spoilt((apps, { database }) => ({
      async replaceSealedApiKey(request) {
        const isReplaced = await apps.replaceSealedApiKey(request)
        if (isReplaced) {
          database
            .prepare('UPDATE kyc_relay_api_keys SET created_at = ? WHERE app_id = ? AND version = ?')
            .run(request.now.getTime(), request.appId, request.version)
        }
        return isReplaced
      },
    })),
  ],
  [
    'ends the keys of other apps too',
    'AD-35',
    spoilt((apps, { database }) => ({
      async revokeApiKey(request) {
        const isRevoked = await apps.revokeApiKey(request)
        if (isRevoked) {
          database
            .prepare('UPDATE kyc_relay_api_keys SET retired_at = ? WHERE app_id <> ?')
            .run(request.now.getTime(), request.appId)
        }
        return isRevoked
      },
    })),
  ],
  [
    'says that it activated what a revocation made sign',
    'AD-36',
    spoilt((apps) => {
      const revoked = new Set<string>()
      return {
        revokeApiKey(request) {
          revoked.add(request.appId)
          return apps.revokeApiKey(request)
        },
        activateApiKey: async (request) => (await apps.activateApiKey(request)) || revoked.has(request.appId),
      }
    }),
  ],
  [
    'says that it revoked a version that never was',
    'AD-37',
    spoilt((apps) => ({
      async revokeApiKey(request) {
        const isRevoked = await apps.revokeApiKey(request)
        return isRevoked || request.version > (await apps.findNewestApiKeyVersion(request.appId))
      },
    })),
  ],
  [
    'tells everybody who saw a version that they revoked it',
    'AD-39',
    spoilt((apps) => ({
      async revokeApiKey(request) {
        const keys = await apps.listApiKeys([request.appId], request.now)
        const isThere = keys.some(({ version }) => version === request.version)
        await nextTurn()
        return (await apps.revokeApiKey(request)) || isThere
      },
    })),
  ],
]
