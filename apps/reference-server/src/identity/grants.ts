import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { AppGrant } from '@kyc-relay/webhooks/internal'

/** Creates the grant look-up of webhooks over the embedded directory. */
export function createGrantLookup(directory: AppDirectory): {
  find(pairs: readonly { readonly appId: string; readonly userId: string }[]): Promise<readonly (AppGrant | null)[]>
} {
  return {
    async find(pairs) {
      const grants = await directory.findGrants(pairs)
      const names = new Map<string, string>()
      for (const appId of new Set(pairs.map((pair) => pair.appId))) {
        const app = await directory.findApp(appId)
        if (app !== null) names.set(appId, app.name)
      }
      return grants.map((grant) => (grant === null ? null : { ...grant, appName: names.get(grant.appId) ?? '' }))
    },
  }
}
