import { explainAttempt, type prepareTestEvent, type Endpoint, type PreparedEvent } from '@kyc-relay/webhooks/delivery'
import {
  attemptStateOf,
  redactEchoes,
  signedHeaders,
  type OpenHeaders,
  type SendResult,
  type SigningKey,
} from '@kyc-relay/webhooks/internal'
import type { createHttpsSender } from '@kyc-relay/webhooks/https'
import type { ApiKeys } from '../identity/api-keys.js'

/** Result of one key at the endpoint. */
export interface DryRunResult {
  readonly key: 'SIGNING' | 'WAITING'
  readonly version: number
  readonly xEventId: string
  readonly accepted: boolean
  readonly result: SendResult
  readonly explanation: ReturnType<typeof explainAttempt>
}

/** Result of a dry run, or the reason of the failure. */
export type KeyRotationDryRun =
  | { readonly endpoint: Endpoint; readonly ready: boolean; readonly results: readonly DryRunResult[] }
  | 'endpoint_not_found'
  | 'no_rotation_pending'
  | 'dry_run_running'

/** Dependencies of a dry run. */
export interface KeyRotationDryRunDeps {
  readonly apiKeys: Pick<ApiKeys, 'current' | 'findWaiting'>
  readonly listEndpoints: (appId: string) => Promise<readonly Endpoint[]>
  readonly prepare: (request: { appId: string; endpointId: string }) => ReturnType<typeof prepareTestEvent>
  readonly send: ReturnType<typeof createHttpsSender>
  readonly openHeaders: OpenHeaders
  readonly now: () => Date
}

const timeoutMs = 30_000

/**
 * Creates the dry run of a key rotation. It sends one test event for each key to an endpoint, at once and without
 * retry. The partner sees whether both signatures are accepted before the new key signs real events.
 *
 * The test events are not stored. An app can run one dry run at a time because each uses two sockets.
 */
export function createKeyRotationDryRun(
  deps: KeyRotationDryRunDeps,
): (request: { readonly appId: string; readonly endpointId: string }) => Promise<KeyRotationDryRun> {
  const running = new Set<string>()

  async function sendSigned(endpoint: Endpoint, key: SigningKey, role: DryRunResult['key']): Promise<DryRunResult> {
    const own =
      endpoint.headers === null ? {} : await deps.openHeaders({ appId: endpoint.appId, headers: endpoint.headers })
    const event: PreparedEvent = await deps.prepare(endpoint)
    const xEventId = event.deliveries[0]?.xEventId ?? event.eventId
    const headers = await signedHeaders({
      xEventId,
      test: true,
      body: event.body,
      standardWebhooks: endpoint.standardWebhooks,
      secret: key.key,
      now: deps.now(),
      headers: own,
    })
    const answered = await deps.send({ url: endpoint.url, headers, body: event.body, timeoutMs })
    const result = redactEchoes(answered, Object.values(own))
    const accepted = attemptStateOf(result.cause) === 'SUCCEEDED'
    const explanation = explainAttempt(result, endpoint.url)
    return { key: role, version: key.version, xEventId, accepted, result, explanation }
  }

  return async ({ appId, endpointId }) => {
    const endpoint = (await deps.listEndpoints(appId)).find((one) => one.endpointId === endpointId)
    if (endpoint === undefined) return 'endpoint_not_found'
    const [[signing], waiting] = await Promise.all([deps.apiKeys.current([appId]), deps.apiKeys.findWaiting(appId)])
    if (waiting === null) return 'no_rotation_pending'
    if (running.has(appId)) return 'dry_run_running'
    running.add(appId)
    try {
      const results = await Promise.all([
        ...(signing ? [sendSigned(endpoint, signing, 'SIGNING')] : []),
        sendSigned(endpoint, waiting, 'WAITING'),
      ])
      return { endpoint, ready: results.every((one) => one.accepted), results }
    } finally {
      running.delete(appId)
    }
  }
}
