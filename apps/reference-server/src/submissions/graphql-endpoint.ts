import type { SubmissionField } from '@kyc-relay/kyc-core/graphql'
import { execute, type DocumentNode, type GraphQLError, type GraphQLSchema, type ValidationRule } from 'graphql'
import { createHandler, type OperationArgs, type Response } from 'graphql-http'
import type { AccessTokenHolder } from '../identity/access-tokens.js'
import { submissionScope } from '../identity/bearer.js'
import { graphqlErrorBody, type ErrorExtensions } from '../http/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http/error-catalogue.js'
import type { GraphqlMediaType } from '../http/media-types.js'
import { AnswerTooLargeError, isAnswerTooLarge, limitAnswer } from './answer-limit.js'
import { createDocumentCache } from './document-cache.js'
import { findFailure, graphqlRefusal, presentError } from './graphql-error.js'
import type { GraphqlRequest } from './graphql-request.js'

/** Who calls, and under which request id. Resolvers find it as their context value. */
export interface GraphqlCaller extends AccessTokenHolder {
  readonly requestId: string
}

/** What a host answers to a submission: a value for its field, or a refusal; and what goes beside the data. */
export type SubmissionAnswer = (
  { readonly value: unknown } | { readonly refusal: Refusal; readonly violations?: ErrorExtensions['violations'] }
) & { readonly extensions?: Readonly<Record<string, unknown>> }

/** How a host treats submissions. The two hosts differ in this and in nothing else. */
export interface SubmissionHandler {
  /** Decides one submission. Its arguments were found by their position in the schema, whatever the variables are called. */
  answer(
    field: SubmissionField,
    input: Readonly<Record<string, unknown>>,
    caller: GraphqlCaller,
  ): Promise<SubmissionAnswer>
  /** Decides a document with a submission in it that breaks the document rules; default is the broken rule's own code. */
  answerIrregular?(document: DocumentNode, variables: Readonly<Record<string, unknown>>, refusal: Refusal): Refusal
}

/** A type and not an interface: graphql-http takes a context with an index signature only. */
type Context = { -readonly [Name in keyof GraphqlCaller]: GraphqlCaller[Name] } & {
  answerExtensions: Readonly<Record<string, unknown>> | undefined
  /** A submission was taken: its field has a value. */
  isDecided: boolean
}

type Prepared = OperationArgs<Context> | readonly GraphQLError[] | Response

/**
 * GraphQL over HTTP for one host, as a function of a parsed body.
 *
 * Submissions are decided before graphql-js sees a variable: it would coerce before we could name every problem, and
 * its messages print values. It then executes the document with blanked variables, so personal data never enters it.
 */
export function createGraphqlEndpoint(options: {
  readonly schema: GraphQLSchema
  readonly handler: SubmissionHandler
  readonly validationRules?: readonly ValidationRule[]
}): (request: {
  readonly mediaType: GraphqlMediaType
  readonly params: GraphqlRequest
  readonly caller: GraphqlCaller
}) => Promise<Response> {
  const documents = createDocumentCache(options.schema, options.validationRules)

  /** The arguments to execute with, or the errors to answer instead. */
  async function prepare(context: Context, { query, operationName, variables }: GraphqlRequest): Promise<Prepared> {
    const checked = documents(query)
    if (!checked.ok) return refuse(checked, context.requestId)
    const { document, submission } = checked
    if (submission.limits.readsUser && !context.scopes.includes(submissionScope)) {
      return refuse({ code: 'FORBIDDEN' }, context.requestId)
    }
    const fieldResolver = limitAnswer()
    const execution = { schema: options.schema, document, operationName, contextValue: context, fieldResolver }
    const inspected = submission.inspect(operationName, variables)
    if (!inspected.ok) {
      const refusal = options.handler.answerIrregular?.(document, variables, inspected) ?? inspected
      return refuse(refusal, context.requestId)
    }
    if (inspected.field === null) return { ...execution, variableValues: variables }
    const answer = await options.handler.answer(inspected.field, inspected.input, context)
    if ('refusal' in answer && errorCatalogue[answer.refusal.code].status !== 200) {
      return refuse(answer.refusal, context.requestId)
    }
    context.answerExtensions = answer.extensions
    context.isDecided = 'value' in answer
    const resolve = () => {
      if ('refusal' in answer) throw graphqlRefusal(answer.refusal, context.requestId, answer.violations)
      return answer.value
    }
    return {
      ...execution,
      variableValues: submission.blankVariables(variables),
      rootValue: { [inspected.field]: resolve },
    }
  }

  return async ({ mediaType, params, caller }) => {
    const context: Context = { ...caller, answerExtensions: undefined, isDecided: false }
    const prepared = await prepare(context, params)
    const decided = context.isDecided && 'schema' in prepared ? answerDecided(prepared, context, mediaType) : null
    if (decided !== null) return decided
    // Made per request because graphql-http gives its error formatter no request to take the id from.
    const handle = createHandler<unknown, undefined, Context>({
      parseRequestParams: () => params,
      onSubscribe: () => prepared,
      onOperation: (_request, _args, result) => {
        if (Symbol.asyncIterator in result) return
        const failure = findFailure(result.errors)
        if (failure !== undefined) throw failure
        return context.answerExtensions && { ...result, extensions: { ...context.answerExtensions } }
      },
      formatError: (error) => presentError(error, caller.requestId),
    })
    try {
      const response = await handle({
        method: 'POST',
        url: '/',
        headers: { accept: mediaType },
        body: null,
        raw: undefined,
        context: undefined,
      })
      if (isAnswerTooLarge(response[0])) throw new AnswerTooLargeError()
      return response
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError)) throw error
      return refuseWhole({ code: 'LIMIT_EXCEEDED', detail: error.code }, caller.requestId)
    }
  }
}

/**
 * What graphql-http would answer, without its asking: nothing is left that could be refused or has to be waited for. Null
 * where something is after all.
 */
function answerDecided(args: OperationArgs<Context>, context: Context, mediaType: GraphqlMediaType): Response | null {
  const result = execute(args)
  if (result instanceof Promise || !('data' in result) || result.errors !== undefined) return null
  const { answerExtensions: extensions } = context
  const body = JSON.stringify(extensions === undefined ? result : { ...result, extensions })
  return [body, { status: 200, statusText: 'OK', headers: { 'content-type': `${mediaType}; charset=utf-8` } }]
}

/** Challenge of a token that lacks a scope (RFC 6750 §3). */
export function insufficientScope(scope: string): string {
  return `Bearer error="insufficient_scope", scope="${scope}"`
}

/** A refusal inside a well-formed GraphQL request; one that the catalogue gives an HTTP status of its own keeps it. */
function refuse(refusal: Refusal, requestId: string): readonly GraphQLError[] | Response {
  if (errorCatalogue[refusal.code].status === 200) return [graphqlRefusal(refusal, requestId)]
  return refuseWhole(refusal, requestId)
}

function refuseWhole(refusal: Refusal, requestId: string): Response {
  const { status, retryable } = errorCatalogue[refusal.code]
  const { body, contentType } = graphqlErrorBody(refusal, requestId)
  const headers = {
    'content-type': contentType,
    ...(retryable ? { 'retry-after': '5' } : {}),
    ...(refusal.code === 'FORBIDDEN' ? { 'www-authenticate': insufficientScope(submissionScope) } : {}),
  }
  return [body, { status: refusal.status ?? status, statusText: '', headers }]
}
