import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import type { EndpointHealth } from '@kyc-relay/webhooks/internal'
import type { FC } from 'hono/jsx'
import { BreakableUrl, Instant } from './components.js'

/** Renders a banner that names the URLs whose last attempt failed; nothing if there are none. */
export const FailingUrls: FC<{
  readonly endpoints: readonly Endpoint[]
  readonly health: readonly EndpointHealth[]
}> = ({ endpoints, health }) => {
  const failing = endpoints.flatMap((endpoint) => {
    const since = health.find(({ endpointId }) => endpointId === endpoint.endpointId)?.failingSince ?? null
    return since === null || endpoint.pausedBy !== null ? [] : [{ endpoint, since }]
  })
  if (failing.length === 0) return null
  return (
    <section class="notice bad" aria-label="URLs that fail">
      {failing.map(({ endpoint, since }) => (
        <p>
          <span class="url">
            <BreakableUrl url={endpoint.url} />
          </span>{' '}
          has failed since <Instant at={since} />. See its{' '}
          <a href={`/portal/deliveries?endpointId=${endpoint.endpointId}&status=FAILED`}>
            failed deliveries<span class="visually-hidden"> to {endpoint.url}</span>
          </a>{' '}
          and those that{' '}
          <a href={`/portal/deliveries?endpointId=${endpoint.endpointId}&status=PENDING`}>
            wait<span class="visually-hidden"> for {endpoint.url}</span>
          </a>
          .
        </p>
      ))}
    </section>
  )
}
