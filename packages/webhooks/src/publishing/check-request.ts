import { checkOptions } from '../delivery/check-options.js'

/** Methods of the dependencies. */
const depMethods = {
  grants: ['find'],
  endpoints: ['listEndpoints'],
  transactions: ['findTransaction', 'moveTransaction'],
  bodySealer: ['seal', 'open'],
  eventTypes: ['find'],
} as const
type Dep = keyof typeof depMethods

/**
 * Checks the two functions, the needed ports, and the optional ones if they are given.
 *
 * @throws WebhookError `OPTIONS_INVALID`
 */
export function checkDeps(
  deps: Partial<Record<Dep | 'now' | 'newId', unknown>> | null | undefined,
  needed: readonly Dep[],
): void {
  const { port, callback, end } = checkOptions()
  for (const name of needed) port(name, deps?.[name], depMethods[name])
  for (const name of ['bodySealer', 'eventTypes'] as const)
    if (deps?.[name] !== undefined) port(name, deps[name], depMethods[name])
  for (const name of ['now', 'newId'] as const) callback(name, deps?.[name])
  end()
}

/**
 * Checks the names of a request, if `known` is given, and its `sourceEventId`. With a misspelt name, a retry would
 * publish a second event. An empty id would make one event of all that have it.
 *
 * @throws WebhookError `OPTIONS_INVALID`
 */
export function checkRequest(request: object, known?: readonly string[]): void {
  const { port, only, rule, end } = checkOptions()
  port('request', request, [])
  end()
  const { sourceEventId = null } = request as { readonly sourceEventId?: unknown }
  if (known !== undefined) only(null, request, known)
  rule('sourceEventId', sourceEventId === null || (typeof sourceEventId === 'string' && sourceEventId !== ''))
  end()
}

/**
 * Checks the owner of an event. A number as user id would be stored as another text, for which there is no grant.
 *
 * @throws WebhookError `OPTIONS_INVALID`
 */
export function checkEventOwner(owner: { readonly appId: unknown; readonly userId: unknown }): void {
  const { rule, end } = checkOptions()
  for (const name of ['appId', 'userId'] as const) rule(name, typeof owner[name] === 'string' && owner[name] !== '')
  end()
}
