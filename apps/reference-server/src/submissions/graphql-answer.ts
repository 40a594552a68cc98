import { defaultFieldResolver, GraphQLError, type ExecutionResult, type GraphQLFieldResolver } from 'graphql'
import { submissionScope } from '../identity/bearer.js'
import { errorExtensions, graphqlErrorBody, type ErrorExtensions } from '../http/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http/error-catalogue.js'
import type { GraphqlMediaType } from '../http/media-types.js'

/** An HTTP response. */
export interface GraphqlAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Largest response in bytes of JSON: 1 MiB. */
const maxAnswerBytes = 1024 * 1024

/** Error for a response larger than {@link maxAnswerBytes}. The client must request a smaller page or fewer fields. */
export class AnswerTooLargeError extends Error {
  readonly code = 'ANSWER_TOO_LARGE'
  constructor() {
    super('The answer would be larger than the limit.')
    this.name = 'AnswerTooLargeError'
  }
}

/**
 * Creates the default field resolver of one request. It stops the execution before the response exceeds the limit.
 *
 * The cost of a document is estimated before it runs, but the length of stored lists and texts is known only here.
 *
 * @throws AnswerTooLargeError from the resolver.
 */
export function limitAnswer(): GraphQLFieldResolver<unknown, unknown> {
  let bytesLeft = maxAnswerBytes
  return (source, args, context, info) => {
    const value: unknown = defaultFieldResolver(source, args, context, info)
    bytesLeft -= String(info.path.key).length + 4 + minBytesOf(value)
    if (bytesLeft < 0) throw new AnswerTooLargeError()
    return value
  }
}

/** Returns the minimum size of a value in JSON. Members of an object are counted when they are resolved. */
function minBytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (Array.isArray(value)) return value.reduce((bytes: number, item) => bytes + 1 + minBytesOf(item), 1)
  return 1
}

/** Creates a GraphQL error of the catalogue: fixed text, code, and the violations of a submission. */
export function graphqlRefusal(
  refusal: Refusal,
  requestId: string,
  violations?: ErrorExtensions['violations'],
): GraphQLError {
  return new GraphQLError(errorCatalogue[refusal.code].message, {
    extensions: { ...errorExtensions(refusal, requestId, violations) },
  })
}

/**
 * Creates the response of an executed document. Its errors have fixed texts, because messages of graphql-js quote
 * variables.
 *
 * @throws Errors of resolvers that are not refusals: the whole request fails.
 * @throws AnswerTooLargeError
 */
export function answerResult(
  result: ExecutionResult & { readonly extensions?: Readonly<Record<string, unknown>> },
  mediaType: GraphqlMediaType,
  requestId: string,
): GraphqlAnswer {
  const { errors } = result
  const failure = errors?.find(({ path, originalError }) => path !== undefined && isFailure(originalError))
  if (failure?.originalError != null) throw failure.originalError
  const body = JSON.stringify(
    errors === undefined ? result : { ...result, errors: errors.map((error) => presentError(error, requestId)) },
  )
  if (body.length > maxAnswerBytes / 3 && Buffer.byteLength(body) > maxAnswerBytes) throw new AnswerTooLargeError()
  return { status: 200, headers: { 'content-type': `${mediaType}; charset=utf-8` }, body }
}

function isFailure(error: Error | undefined): boolean {
  return error !== undefined && !(error instanceof GraphQLError)
}

/** Keeps errors with a code and completes their extensions. Every other error becomes `GRAPHQL_VALIDATION_FAILED`. */
function presentError(error: GraphQLError, requestId: string): GraphQLError {
  if (typeof error.extensions.code === 'string') {
    const extensions = { violations: [], requestId, ...error.extensions }
    return new GraphQLError(error.message, { extensions, path: error.path })
  }
  const { message, extensions } = graphqlRefusal({ code: 'GRAPHQL_VALIDATION_FAILED' }, requestId)
  return new GraphQLError(message, { extensions, path: error.path })
}

/**
 * Creates the refusal of a well-formed GraphQL request. A code with its own HTTP status keeps it. Other codes have 200
 * as `application/json` and 400 as `application/graphql-response+json` (GraphQL over HTTP, "Status Codes").
 */
export function answerRefusal(refusal: Refusal, mediaType: GraphqlMediaType, requestId: string): GraphqlAnswer {
  const { status, retryable } = errorCatalogue[refusal.code]
  const { body, contentType } = graphqlErrorBody(refusal, requestId)
  if (status === 200) {
    const headers = { 'content-type': `${mediaType}; charset=utf-8` }
    return { status: mediaType === 'application/json' ? 200 : 400, headers, body }
  }
  const headers = {
    'content-type': contentType,
    ...(retryable ? { 'retry-after': '5' } : {}),
    ...(refusal.code === 'FORBIDDEN' ? { 'www-authenticate': insufficientScope(submissionScope) } : {}),
  }
  return { status: refusal.status ?? status, headers, body }
}

/** `WWW-Authenticate` for a token without the scope (RFC 6750 §3). */
export function insufficientScope(scope: string): string {
  return `Bearer error="insufficient_scope", scope="${scope}"`
}
