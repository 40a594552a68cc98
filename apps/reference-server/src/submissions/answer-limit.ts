import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql'

/** The largest answer, in bytes of JSON: 1 MiB. */
export const maxAnswerBytes = 1024 * 1024

/** An answer would be larger than {@link maxAnswerBytes}: ask for a smaller page or for fewer fields. */
export class AnswerTooLargeError extends Error {
  readonly code = 'ANSWER_TOO_LARGE'
  constructor() {
    super('The answer would be larger than the limit.')
    this.name = 'AnswerTooLargeError'
  }
}

/** Whether a finished answer is larger than {@link maxAnswerBytes}. */
export function isAnswerTooLarge(body: string | null): boolean {
  return body !== null && body.length > maxAnswerBytes / 3 && Buffer.byteLength(body) > maxAnswerBytes
}

/**
 * The default field resolver for one request, which stops the execution before its answer outgrows the limit.
 *
 * The cost of a document is estimated before it runs; how long the stored lists and texts are shows only here.
 *
 * @throws AnswerTooLargeError from the resolver.
 */
export function limitAnswer(): GraphQLFieldResolver<unknown, unknown> {
  let bytesLeft = maxAnswerBytes
  return (source, args, context, info) => {
    const value: unknown = defaultFieldResolver(source, args, context, info)
    bytesLeft -= String(info.path.key).length + 4 + leastBytesOf(value)
    if (bytesLeft < 0) throw new AnswerTooLargeError()
    return value
  }
}

/** The value takes at least so many bytes in JSON. The members of an object are counted when they are resolved. */
function leastBytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (Array.isArray(value)) return value.reduce((bytes: number, item) => bytes + 1 + leastBytesOf(item), 1)
  return 1
}
