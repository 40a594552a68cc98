import type { OperationShape } from '../webhooks-api/operation.js'
import { accessOperations } from './access-operations.js'
import { eventOperations } from './event-operations.js'
import { peopleOperations } from './people-operations.js'
import { readOperations } from './read-operations.js'

/** Every operation of the internal API that has a description. The document shows those that this server has. */
export const internalOperations: readonly OperationShape[] = [
  ...Object.values(readOperations),
  ...Object.values(eventOperations),
  ...Object.values(accessOperations),
  ...Object.values(peopleOperations),
]

const queryPaths = internalOperations
  .filter(({ query }) => query !== undefined)
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))

/** Checks whether the path is of an operation with query parameters, which its route checks. */
export function hasQuery(path: string): boolean {
  return queryPaths.some((one) => one.test(path))
}
