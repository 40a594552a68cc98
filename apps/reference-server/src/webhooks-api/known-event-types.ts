import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { violation, type RequestViolation } from '../http/violations.js'
import { serveOperation, type Call, type OperationShape, type Outcome } from './operation.js'

/**
 * Serves an operation whose request may name event types. The event types are known only at the start. So the schemas
 * accept any name, and this function refuses unknown ones. `allowed` are the names that a refusal lists.
 */
export function serveKnownTypes<O extends OperationShape>(
  app: Hono<EdgeEnv>,
  names: readonly string[],
  operation: O,
  handle: (call: Call<O>) => Promise<Outcome<O>>,
  allowed: readonly string[] = names,
): void {
  serveOperation(app, operation, handle, (given) => unknownTypes(names, given, allowed))
}

/** Finds unknown event types in the members of a body or query that name some. The schemas refuse values of other types. */
export function unknownTypes(
  names: readonly string[],
  given: Readonly<Record<string, unknown>>,
  allowed: readonly string[] = names,
): RequestViolation[] {
  const at = (pointer: string, name: unknown) =>
    typeof name !== 'string' || names.includes(name) ? [] : [violation(pointer, 'ENUM', allowed)]
  const list = (field: string, values: unknown) =>
    Array.isArray(values) ? values.flatMap((name, index) => at(`/${field}/${index}`, name)) : []
  const { eventType, eventTypes, types } = given
  return [
    ...at('/eventType', eventType),
    ...list('eventTypes', eventTypes),
    ...list('types', typeof types === 'string' ? types.split(',') : null),
  ]
}
