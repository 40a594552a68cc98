import { blankedVariables, inspectSubmissionDocument, type SubmissionField } from '@kyc-relay/kyc-core/graphql'
import type { DocumentNode, GraphQLError, GraphQLSchema, ValidationRule } from 'graphql'
import { createHandler, type OperationArgs, type Response } from 'graphql-http'
import type { AccessTokenHolder } from '../auth/access-tokens.js'
import { graphqlErrorBody, type ErrorExtensions } from '../http-edge/error-bodies.js'
import { errorCatalogue, type ErrorCode, type Refusal } from '../http-edge/error-catalogue.js'
import { createDocumentCache } from './document-cache.js'
import { graphqlRefusal, presentError } from './error.js'

/** Who calls, and under which request id. Resolvers find it as their context value. */
export interface GraphqlCaller extends AccessTokenHolder {
  readonly requestId: string
}

/** What a host answers to a submission: a value for its field, or a refusal; and what goes beside the data. */
export type SubmissionAnswer = (
  { readonly value: unknown } | { readonly refusal: Refusal; readonly violations?: ErrorExtensions['violations'] }
) & { readonly extensions?: Readonly<Record<string, unknown>> }

/** How a host treats submissions. The two hosts differ in this and in nothing else. */
export interface SubmissionDoor {
  /** Decides one submission. Its arguments were found by their position in the schema, whatever the variables are called. */
  answer(
    field: SubmissionField,
    input: Readonly<Record<string, unknown>>,
    caller: GraphqlCaller,
  ): Promise<SubmissionAnswer>
  /** Decides a document with a submission in it that breaks the document rules; default is the broken rule's own code. */
  answerIrregular?(document: DocumentNode, variables: Readonly<Record<string, unknown>>, refusal: Refusal): Refusal
}

const maxDocumentLength = 8 * 1024

/** A type and not an interface: graphql-http takes a context with an index signature only. */
type Context = { -readonly [Name in keyof GraphqlCaller]: GraphqlCaller[Name] } & {
  answerExtensions: Readonly<Record<string, unknown>> | undefined
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
  readonly door: SubmissionDoor
  readonly validationRules?: readonly ValidationRule[]
}): (request: {
  readonly accept: string | undefined
  readonly body: Readonly<Record<string, unknown>>
  readonly caller: GraphqlCaller
}) => Promise<Response> {
  const documents = createDocumentCache(options.schema, options.validationRules)

  /** The arguments to execute with, or the errors to answer instead. */
  async function prepare(
    context: Context,
    params: { query: string; operationName?: string | null; variables?: Record<string, unknown> | null },
  ): Promise<Prepared> {
    const refuse = (refusal: Refusal) => [graphqlRefusal(refusal, context.requestId)]
    const checked = documents(params.query)
    if (!checked.ok) return refuse({ code: checked.code })
    const { document } = checked
    const variables = params.variables ?? {}
    const execution = {
      schema: options.schema,
      document,
      operationName: params.operationName ?? undefined,
      contextValue: context,
    }
    const inspected = inspectSubmissionDocument(document, params.operationName ?? null, variables)
    if (!inspected.ok) return refuse(options.door.answerIrregular?.(document, variables, inspected) ?? inspected)
    if (inspected.field === null) return { ...execution, variableValues: variables }
    const answer = await options.door.answer(inspected.field, inspected.input, context)
    if ('refusal' in answer && errorCatalogue[answer.refusal.code].status >= 500)
      return outage(answer.refusal.code, context.requestId)
    context.answerExtensions = answer.extensions
    const resolve = () => {
      if ('refusal' in answer) throw graphqlRefusal(answer.refusal, context.requestId, answer.violations)
      return answer.value
    }
    return {
      ...execution,
      variableValues: blankedVariables(document, variables),
      rootValue: { [inspected.field]: resolve },
    }
  }

  return async ({ accept, body, caller }) => {
    if (typeof body.query === 'string' && body.query.length > maxDocumentLength) {
      return plain({ code: 'LIMIT_EXCEEDED', detail: 'DOCUMENT_TOO_LARGE' }, caller.requestId)
    }
    const context: Context = { ...caller, answerExtensions: undefined }
    // Made per request because graphql-http gives its error formatter no request to take the id from.
    const handle = createHandler<unknown, undefined, Context>({
      onSubscribe: (_request, params) => prepare(context, params),
      onOperation: (_request, _args, result) =>
        context.answerExtensions !== undefined && !(Symbol.asyncIterator in result)
          ? { ...result, extensions: { ...context.answerExtensions } }
          : undefined,
      formatError: (error) => presentError(error, caller.requestId),
    })
    const [text, init] = await handle({
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json', accept },
      body,
      raw: undefined,
      context: undefined,
    })
    if (init.status === 406) return plain({ code: 'NOT_ACCEPTABLE' }, caller.requestId)
    // The library refuses a malformed request with texts of its own.
    if (init.status === 400 && text !== null && !text.includes('"code"'))
      return plain({ code: 'BAD_REQUEST', detail: 'GRAPHQL_REQUEST' }, caller.requestId)
    return [text, init]
  }
}

function plain(refusal: Refusal, requestId: string): Response {
  const { body, contentType } = graphqlErrorBody(refusal, requestId)
  return [
    body,
    { status: errorCatalogue[refusal.code].status, statusText: '', headers: { 'content-type': contentType } },
  ]
}

function outage(code: ErrorCode, requestId: string): Response {
  const [body, init] = plain({ code }, requestId)
  return [body, { ...init, headers: { ...init.headers, 'retry-after': '5' } }]
}
