import type { Context, Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import type { OperatorRight } from '../identity/operators.js'
import {
  answerOperation,
  checkParams,
  hasNoBody,
  routePath,
  type Call,
  type OperationShape,
  type Outcome,
} from '../webhooks-api/operation.js'
import { auditText } from './field-schemas.js'
import { actorNameOf, requireRight } from './internal-caller.js'

/** One operation of the internal API. */
export interface InternalOperation extends OperationShape {
  /** The right that an operator needs; `service` if only services may call it. */
  readonly right: OperatorRight | 'service'
  /** True if a service must name the person who acts. */
  readonly actorRequired?: true
  /** Refuses a caller who asks too often, before the query and the body are read. */
  readonly limit?: (c: Context<EdgeEnv>) => Response | null
}

type BodyOf<O extends InternalOperation> = Omit<Call<O>['body'], 'actor'>

/** A valid request of an operation of the internal API. */
export interface InternalCall<O extends InternalOperation> extends Pick<Call<O>, 'params' | 'query'> {
  readonly body: O['bodyOptional'] extends true ? Partial<BodyOf<O>> : BodyOf<O>
  /** Who acts, as the audit log names it. */
  readonly actor: string
}

/** Serves an operation of the internal API to services, and to operators with its right. */
export function serveInternal<O extends InternalOperation>(
  routes: Hono<EdgeEnv>,
  operation: O,
  handle: (call: InternalCall<O>, c: Context<EdgeEnv>) => Promise<Outcome<O> | Response>,
): void {
  routes.on(operation.method.toUpperCase(), routePath(operation.path), requireRight(operation.right), async (c) => {
    const params = checkParams(c)
    if (params instanceof Response) return params
    const limited = operation.limit?.(c)
    if (limited) return limited
    const accepted = { ...operation, body: acceptedBody(operation, c), bodyOptional: false } as O
    return answerOperation(c, accepted, params, async ({ query, body: given }) => {
      const { actor = null, ...body } = { ...given } as { actor?: string | null }
      const call = { params, query, body, actor: actorNameOf(c.get('caller'), actor) }
      return handle(call as InternalCall<O>, c)
    })
  })
}

/** Only a service may send the member `actor`: an operator is known by the credential, so the member is unknown there. */
function acceptedBody({ body, bodyOptional, actorRequired }: InternalOperation, c: Context<EdgeEnv>) {
  const isOperator = c.get('caller').kind === 'operator'
  // A service may send no body: its own records say why.
  if (bodyOptional && !isOperator && hasNoBody(c)) return undefined
  if (body === undefined || !('actor' in body.shape)) return body
  if (isOperator) return body.omit({ actor: true })
  return actorRequired ? body.extend({ actor: auditText }) : body
}
