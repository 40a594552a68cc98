import { GraphQLError } from 'graphql'
import { errorExtensions, type ErrorExtensions } from '../http/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http/error-catalogue.js'

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
 * messages) becomes a fixed text: the request did not fit the schema.
 */
export function presentError(error: Readonly<GraphQLError | Error>, requestId: string): GraphQLError {
  if (error instanceof GraphQLError && typeof error.extensions.code === 'string') return error
  const { message, extensions } = graphqlRefusal({ code: 'GRAPHQL_VALIDATION_FAILED' }, requestId)
  return new GraphQLError(message, { extensions, ...(error instanceof GraphQLError ? { path: error.path } : {}) })
}

/** What a resolver threw that is no refusal of ours: a failure inside, which makes the whole request fail. */
export function findFailure(errors: readonly GraphQLError[] = []): Error | undefined {
  return errors.find(({ path, originalError }) => path !== undefined && isFailure(originalError))?.originalError
}

function isFailure(error: Error | undefined): error is Error {
  return error !== undefined && !(error instanceof GraphQLError)
}
