import { randomUUID } from 'node:crypto'
import { eventTypes } from '@kyc-relay/webhooks'
import { WebhookError, type InsertedEvent, type PreparedEvent } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/sqlite'
import { Hono } from 'hono'
import { z } from 'zod'
import type { createEmbeddedAccessTokens } from '../auth/access-tokens.js'
import { isInternalCaller } from '../auth/internal-token.js'
import { readJson, refuseProblem } from '../http-edge/json-route.js'
import { requestIdOf, type EdgeEnv } from '../http-edge/listener.js'
import { errorCode, type Log } from '../observability/log.js'
import { isRetryable } from '../graphql/graphql-route.js'

const tokenLifetimeMs = 24 * 60 * 60 * 1000
const scopeName = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/)

const publication = z.strictObject({
  appId: z.uuid(),
  userId: z.uuid(),
  eventType: z.enum(eventTypes),
  data: z.record(z.string(), z.unknown()),
  sourceEventId: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .nullish(),
})

const tokenRequest = z.strictObject({
  appId: z.uuid(),
  userId: z.uuid().nullish(),
  scopes: z.array(scopeName).min(1).max(50),
})

/** One event to publish, as another service of ours posts it. */
export type Publication = z.output<typeof publication>

/** What the internal API needs. */
export interface InternalAppDeps {
  readonly internalToken: string
  readonly publish: (publication: Publication) => Promise<InsertedEvent | PreparedEvent>
  readonly directory: AppDirectory
  readonly accessTokens: ReturnType<typeof createEmbeddedAccessTokens>
  readonly cancelPending: (request: { appId: string; userId: string; reason: string }) => Promise<number>
  readonly log: Log
}

/** The internal API, for our own services: bound to loopback, opened by `INTERNAL_TOKEN`. */
export function createInternalApp(deps: InternalAppDeps): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>()

  app.use(async (c, next) => {
    if (isInternalCaller(c.env.incoming.headers.authorization, deps.internalToken)) return next()
    return refuseProblem(
      c,
      { code: 'UNAUTHENTICATED', detail: 'INTERNAL_TOKEN_REQUIRED' },
      { 'www-authenticate': 'Bearer' },
    )
  })

  app.post('/internal/v1/events', async (c) => {
    const body = await readJson(c, publication)
    if (!body.ok) return body.response
    try {
      const event = await deps.publish(body.value)
      return c.json(
        {
          eventId: event.eventId,
          deliveries: event.deliveries.map(({ deliveryId, endpointId }) => ({ deliveryId, endpointId })),
          ...(event.withheld === null ? {} : { withheld: event.withheld }),
        },
        202,
      )
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      const fields = error.violations.map((violation) => ({
        pointer: `/data${violation.pointer}`,
        code: violation.code,
      }))
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: error.code, fields })
    }
  })

  app.post('/internal/v1/access-tokens', async (c) => {
    const body = await readJson(c, tokenRequest)
    if (!body.ok) return body.response
    const { appId, scopes } = body.value
    if ((await deps.directory.findApp(appId)) === null)
      return refuseProblem(c, { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' })
    const userId = body.value.userId ?? randomUUID()
    const [known] = await deps.directory.findGrants([{ appId, userId }])
    const grant = {
      appId,
      userId,
      accountId: known?.accountId ?? randomUUID(),
      externalReferenceId: known?.externalReferenceId ?? `user-${userId.slice(0, 8)}`,
      scopes: [...new Set([...(known?.scopes ?? []), ...scopes])],
    }
    await deps.directory.putGrant(grant)
    const { accessToken, expiresAt } = await deps.accessTokens.issue({ appId, userId, scopes }, tokenLifetimeMs)
    const { accountId, externalReferenceId } = grant
    return c.json({ accessToken, userId, accountId, externalReferenceId, expiresAt }, 201)
  })

  app.delete('/internal/v1/grants/:appId/:userId', async (c) => {
    const { appId, userId } = c.req.param()
    if (!(await deps.directory.revokeGrant({ appId, userId }))) return refuseProblem(c, { code: 'NOT_FOUND' })
    await deps.cancelPending({ appId, userId, reason: 'GRANT_REVOKED' })
    return c.body(null, 204)
  })

  app.notFound((c) => refuseProblem(c, { code: 'NOT_FOUND' }))
  app.onError((error, c) => {
    deps.log.error('request failed', {
      requestId: requestIdOf(c.env.incoming),
      listener: 'internal',
      code: errorCode(error),
    })
    return refuseProblem(c, { code: isRetryable(error) ? 'UNAVAILABLE' : 'INTERNAL' }, { 'retry-after': '5' })
  })
  return app
}
