import type { Context, MiddlewareHandler } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import { remoteAddressOf, type EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import { isInternalCaller, parseBearer } from '../identity/bearer.js'
import { failureOf, type FailedAuthentications } from '../identity/failed-authentications.js'
import { operatorTokenPrefix, type InternalCaller, type Operator, type OperatorRight } from '../identity/operators.js'

/** Dependencies of {@link identifyCaller}. */
export interface InternalCallerDeps {
  /** Null if the role serves no internal API: only operators are accepted. */
  readonly internalToken: string | null
  readonly findOperator: (token: string) => Operator | null
  readonly failures: FailedAuthentications
  readonly limits: RequestLimits
}

/** Finds the caller of the internal API by the bearer token. Refused tokens are counted, logged and limited. */
export function identifyCaller(deps: InternalCallerDeps): MiddlewareHandler<EdgeEnv> {
  return async (c, next) => {
    const authorization = c.req.header('authorization')
    const caller = callerOf(authorization, deps)
    if (caller !== null) {
      c.set('caller', caller)
      return next()
    }
    const reason = parseBearer(authorization)?.startsWith(operatorTokenPrefix)
      ? 'OPERATOR_TOKEN_INVALID'
      : failureOf(authorization, 'INTERNAL_TOKEN_MISSING', 'INTERNAL_TOKEN_INVALID')
    deps.failures.note({ listener: 'internal', reason, requestId: c.env.requestId })
    // Only failures count, so guessing never locks out a valid token.
    const { verdict, headers } = deps.limits.take('failed-authentication', remoteAddressOf(c))
    if (!verdict.allowed) return refuseProblem(c, { code: 'RATE_LIMITED' }, headers)
    return refuseProblem(
      c,
      { code: 'UNAUTHENTICATED', detail: 'INTERNAL_TOKEN_REQUIRED' },
      { 'www-authenticate': 'Bearer' },
    )
  }
}

function callerOf(
  authorization: string | undefined,
  { internalToken, findOperator }: InternalCallerDeps,
): InternalCaller | null {
  if (isInternalCaller(authorization, internalToken)) return { kind: 'service' }
  const token = parseBearer(authorization)
  const operator = token === null ? null : findOperator(token)
  return operator === null ? null : { kind: 'operator', name: operator.name, rights: operator.rights }
}

/** Lets services and the operators with this right pass; with `service` only services. */
export function requireRight(right: OperatorRight | 'service'): MiddlewareHandler<EdgeEnv> {
  return async (c, next) => {
    const caller = c.get('caller')
    const isAllowed = right === 'service' ? caller.kind === 'service' : hasRight(caller, right)
    return isAllowed ? next() : refuseProblem(c, { code: 'FORBIDDEN', detail: 'RIGHT_REQUIRED' })
  }
}

/** Checks whether a caller has a right. A service has every right. */
export function hasRight(caller: InternalCaller, right: OperatorRight): boolean {
  return caller.kind === 'service' || caller.rights.includes(right)
}

/**
 * Who acted, as the audit log names it: `operator:<name>` by the credential, `claimed:<name>` as a service with the
 * shared token says, or `service` if it names nobody.
 */
export function actorNameOf(caller: InternalCaller, claimed: string | null): string {
  if (caller.kind === 'operator') return `operator:${caller.name}`
  return claimed === null ? 'service' : `claimed:${claimed}`
}

/** Key of the caller for limits: one for each operator, and one for all services. */
export function callerKey(caller: InternalCaller): string {
  return actorNameOf(caller, null)
}

/** Creates the limit of how often a caller opens evidence. */
export function limitEvidence(limits: RequestLimits): (c: Context<EdgeEnv>) => Response | null {
  return (c) => {
    const { verdict, headers } = limits.take('evidence', callerKey(c.get('caller')))
    return verdict.allowed ? null : refuseProblem(c, { code: 'RATE_LIMITED' }, headers)
  }
}
