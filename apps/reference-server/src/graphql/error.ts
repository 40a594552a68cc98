import { GraphQLError } from 'graphql'
import { errorExtensions, type ErrorExtensions } from '../http-edge/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http-edge/error-catalogue.js'

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
 * What a client may see of an error. Errors of ours pass; everything else (graphql-js prints variable values in its
 * messages) becomes a fixed text: a request that did not fit the schema, or a failure inside.
 */
export function presentError(error: Readonly<GraphQLError | Error>, requestId: string): GraphQLError {
  if (error instanceof GraphQLError && typeof error.extensions.code === 'string') return error
  const inside =
    error instanceof GraphQLError && error.originalError != null && !(error.originalError instanceof GraphQLError)
  const refusal = graphqlRefusal({ code: inside ? 'INTERNAL' : 'GRAPHQL_VALIDATION_FAILED' }, requestId)
  return error instanceof GraphQLError
    ? new GraphQLError(refusal.message, { path: error.path, extensions: refusal.extensions })
    : refusal
}
