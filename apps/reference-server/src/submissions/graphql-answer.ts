import { defaultFieldResolver, GraphQLError, type ExecutionResult, type GraphQLFieldResolver } from 'graphql'
import { submissionScope } from '../identity/bearer.js'
import { errorExtensions, graphqlErrorBody, type ErrorExtensions } from '../http/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http/error-catalogue.js'
import type { GraphqlMediaType } from '../http/media-types.js'

/** An answer over HTTP. */
export interface GraphqlAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

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
    bytesLeft -= String(info.path.key).length + 4 + minBytesOf(value)
    if (bytesLeft < 0) throw new AnswerTooLargeError()
    return value
  }
}

/** The least that a value takes in JSON. The members of an object are counted when they are resolved. */
function minBytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (Array.isArray(value)) return value.reduce((bytes: number, item) => bytes + 1 + minBytesOf(item), 1)
  return 1
}

/** A GraphQL error of the catalogue: fixed text, code, and the violations of a submission. */
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
 * The answer to an executed document. Its errors have fixed texts: graphql-js prints values of variables in its own.
 *
 * @throws What a resolver threw that is no refusal: the whole request fails.
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

/** Errors of the catalogue pass. Every other one becomes a fixed text: the request did not fit the schema. */
function presentError(error: GraphQLError, requestId: string): GraphQLError {
  if (typeof error.extensions.code === 'string') return error
  const { message, extensions } = graphqlRefusal({ code: 'GRAPHQL_VALIDATION_FAILED' }, requestId)
  return new GraphQLError(message, { extensions, path: error.path })
}

/**
 * A refusal of a well-formed GraphQL request. One that the catalogue gives an HTTP status of its own keeps it. The others
 * are 200 as `application/json`, and 400 as `application/graphql-response+json` (GraphQL over HTTP, "Status Codes").
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

/** Challenge of a token that lacks a scope (RFC 6750 §3). */
export function insufficientScope(scope: string): string {
  return `Bearer error="insufficient_scope", scope="${scope}"`
}
