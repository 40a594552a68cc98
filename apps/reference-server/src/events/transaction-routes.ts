import type { TransactionRequest } from '@kyc-relay/webhooks/internal'
import { Hono, type Context } from 'hono'
import { readJson, refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { violation } from '../http/violations.js'
import { eventOperations } from '../operator-api/event-operations.js'
import { id } from '../operator-api/field-schemas.js'
import { servicesOnly } from '../operator-api/internal-caller.js'
import { routePath } from '../webhooks-api/operation.js'
import { presentEvent, refuseEvent } from './event-routes.js'
import type { Publisher } from './publish.js'

/** `/internal/v1/transactions`: initiated, updated or settled, declined (docs/contract.md 8.5). */
export function createTransactionRoutes(publisher: Pick<Publisher, 'move'>, newId: () => string): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  async function answer(c: Context<EdgeEnv>, request: TransactionRequest, status: 200 | 201): Promise<Response> {
    try {
      const moved = await publisher.move(request)
      return c.json({ transactionId: moved.transactionId, status: moved.state, ...presentEvent(moved.event) }, status)
    } catch (error) {
      return refuseEvent(c, error)
    }
  }

  async function create(c: Context<EdgeEnv>, kind: 'create' | 'decline'): Promise<Response> {
    const { createTransaction, declineTransaction } = eventOperations
    const body = await readJson(c, (kind === 'create' ? createTransaction : declineTransaction).body)
    if (!body.ok) return body.response
    const { transactionId: beside, ...rest } = body.value
    const inData = rest.data['transactionId'] ?? null
    const chosen = id.safeParse(beside ?? inData ?? newId())
    if (!chosen.success) {
      const fields = [violation('/data/transactionId', typeof inData === 'string' ? 'FORMAT' : 'TYPE')]
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields })
    }
    return answer(c, { kind, ...rest, sourceEventId: rest.sourceEventId ?? null, transactionId: chosen.data }, 201)
  }

  routes.post('/', servicesOnly, (c) => create(c, 'create'))
  routes.post('/decline', servicesOnly, (c) => create(c, 'decline'))
  routes.patch(routePath('/{transactionId}'), servicesOnly, async (c) => {
    const path = id.safeParse(c.req.param('transactionId'))
    if (!path.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readJson(c, eventOperations.updateTransaction.body)
    if (!body.ok) return body.response
    const { appId, userId, status, data, sourceEventId: source } = body.value
    return answer(
      c,
      {
        kind: 'update',
        transactionId: path.data,
        data: data ?? {},
        sourceEventId: source ?? null,
        ...(appId == null ? {} : { appId }),
        ...(userId == null ? {} : { userId }),
        ...(status == null ? {} : { status }),
      },
      200,
    )
  })
  return routes
}
