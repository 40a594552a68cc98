import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** On the request itself: a map beside it would be one more thing for the garbage collector to look through. */
const requestId = Symbol('request id')

interface Identified extends IncomingMessage {
  [requestId]?: string
}

/** Gives a request its id, which is in its answer and in what is logged about it. The one that it has stays. */
export function identify(request: IncomingMessage): string {
  return ((request as Identified)[requestId] ??= randomUUID())
}

/** The id given to this request when it arrived. */
export function requestIdOf(request: IncomingMessage): string {
  return (request as Identified)[requestId] ?? 'unknown'
}
