import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { AppGrant } from '@kyc-relay/webhooks/internal'

/** Creates the grant look-up of webhooks over the embedded directory. */
export function createGrantLookup(directory: AppDirectory): {
  find(pairs: readonly { readonly appId: string; readonly userId: string }[]): Promise<readonly (AppGrant | null)[]>
} {
  return {
    async find(pairs) {
      const appIds = [...new Set(pairs.map(({ appId }) => appId))]
      const [grants, apps] = await Promise.all([
        directory.findGrants(pairs),
        Promise.all(appIds.map((appId) => directory.findApp(appId))),
      ])
      const names = new Map(apps.map((app) => [app?.appId, app?.name]))
      return grants.map((grant) => (grant === null ? null : { ...grant, appName: names.get(grant.appId) ?? '' }))
    },
  }
}
