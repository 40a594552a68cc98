import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { Env } from '../env.js'
import { createEndpointHeaders } from '../events/endpoint-headers.js'
import { createRequestLimits } from '../http/request-limits.js'
import { createEmbeddedAccessTokens, withIssuedTokens } from '../identity/access-tokens.js'
import { createApiKeys } from '../identity/api-keys.js'
import { createGrantLookup } from '../identity/grants.js'
import type { Storage } from './storage.js'

/** Access tokens, API keys and grants of callers. */
export type Callers = Awaited<ReturnType<typeof wireCallers>>

/** Creates the parts that identify callers, and their request limits. */
export async function wireCallers(deps: {
  readonly env: Env
  readonly storage: Storage
  readonly cipher: PiiCipher
  readonly now: () => Date
}) {
  const { env, cipher, now } = deps
  const directory = deps.storage.apps
  const embeddedTokens = createEmbeddedAccessTokens(directory, now)
  return {
    embeddedTokens,
    accessTokens: await withIssuedTokens(embeddedTokens, directory, env),
    apiKeys: createApiKeys({ directory, cipher, now }),
    endpointHeaders: createEndpointHeaders({ store: deps.storage.endpointHeaders, cipher }),
    grants: createGrantLookup(directory),
    findAppName: async (appId: string) => (await directory.findApp(appId))?.name ?? null,
    limits: createRequestLimits({
      policies: {
        app: { perMinute: env.restRequestsPerMinute },
        token: { perMinute: env.graphqlRequestsPerMinute },
        'failed-authentication': { perMinute: env.failedAuthenticationsPerMinute },
        evidence: { perMinute: env.evidenceRequestsPerMinute },
      },
      nowMs: () => performance.now(),
    }),
  }
}
