import type { TransactionRequest } from '@kyc-relay/webhooks/internal'
import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { violation } from '../http/violations.js'
import { eventOperations as operations } from '../operator-api/event-operations.js'
import { id } from '../operator-api/field-schemas.js'
import { serveInternal } from '../operator-api/serve-internal.js'
import { answer } from '../webhooks-api/operation.js'
import { presentEvent, refuseEvent } from './event-routes.js'
import type { Publisher } from './publish.js'

/** `/internal/v1/transactions`: initiated, updated or settled, declined (docs/contract.md 8.5). */
export function serveTransactions(
  routes: Hono<EdgeEnv>,
  publisher: Pick<Publisher, 'move'>,
  newId: () => string,
): void {
  async function move<Status extends 200 | 201>(request: TransactionRequest, status: Status) {
    try {
      const { transactionId, state, event } = await publisher.move(request)
      return answer(status, { transactionId, status: state, ...presentEvent(event) })
    } catch (error) {
      return refuseEvent(error)
    }
  }

  for (const kind of ['create', 'decline'] as const) {
    const { createTransaction, declineTransaction } = operations
    const operation = kind === 'create' ? createTransaction : declineTransaction
    serveInternal(routes, operation, async ({ body: { transactionId: beside, sourceEventId = null, ...rest } }) => {
      const inData = rest.data['transactionId'] ?? null
      const chosen = id.safeParse(beside ?? inData ?? newId())
      if (!chosen.success) {
        const fields = [violation('/data/transactionId', typeof inData === 'string' ? 'FORMAT' : 'TYPE')]
        return { refusal: { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields } }
      }
      return move({ kind, ...rest, sourceEventId, transactionId: chosen.data }, 201)
    })
  }

  serveInternal(routes, operations.updateTransaction, async ({ params: { transactionId }, body }) => {
    const { appId, userId, status, data, sourceEventId = null } = body
    const named = {
      ...(appId == null ? {} : { appId }),
      ...(userId == null ? {} : { userId }),
      ...(status == null ? {} : { status }),
    }
    return move({ kind: 'update', transactionId, data: data ?? {}, sourceEventId, ...named }, 200)
  })
}
