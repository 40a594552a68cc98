import type { OperationShape } from '../webhooks-api/operation.js'
import { accessOperations } from './access-operations.js'
import { eventOperations } from './event-operations.js'
import { peopleOperations } from './people-operations.js'
import { readOperations } from './read-operations.js'
import type { InternalOperation } from './serve-internal.js'

/** Every operation of the internal API. */
export const internalOperations: readonly OperationShape[] = [
  ...Object.values(readOperations),
  ...Object.values(eventOperations).map(withRight),
  ...Object.values(accessOperations).map(withRight),
  ...Object.values(peopleOperations).map(withRight),
]

/** Says in the description who may call. */
function withRight(operation: InternalOperation): OperationShape {
  const { description, right } = operation
  const who = right === 'service' ? 'Only services with `INTERNAL_TOKEN`.' : `Right: \`${right}\`.`
  return { ...operation, description: description === undefined ? who : `${description} ${who}` }
}
