import type { SubmissionField } from '@kyc-relay/kyc-core/internal'
import { execute, getOperationAST, type DocumentNode, type GraphQLSchema, type ValidationRule } from 'graphql'
import type { AccessTokenHolder } from '../identity/access-tokens.js'
import { submissionScope } from '../identity/bearer.js'
import type { ErrorExtensions } from '../http/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http/error-catalogue.js'
import type { GraphqlMediaType } from '../http/media-types.js'
import {
  answerRefusal,
  answerResult,
  AnswerTooLargeError,
  graphqlRefusal,
  limitAnswer,
  type GraphqlAnswer,
} from './graphql-answer.js'
import { createDocumentCache, maxTokens } from './document-cache.js'
import { findVariableProblem } from './document-problem.js'

/** The parameters of one GraphQL request (GraphQL over HTTP, "Request Parameters"). */
export interface GraphqlRequest {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** 8 KiB: a document holds names, not values. Long ones cost more to check than to send. */
const maxDocumentBytes = 8 * 1024

const members = new Set(['query', 'operationName', 'variables', 'extensions'])

/** Reads the parameters from a JSON body. `null` equals absent; `extensions` is ignored. */
export function parseGraphqlRequest(
  body: Readonly<Record<string, unknown>>,
): { readonly ok: true; readonly request: GraphqlRequest } | { readonly ok: false; readonly refusal: Refusal } {
  const refuse = (detail: string) => ({ ok: false, refusal: { code: 'BAD_REQUEST', detail } }) as const
  const { query, operationName = null, variables = null, extensions = null } = body
  if (typeof query !== 'string' || query.trim() === '') return refuse('QUERY_MISSING')
  if (operationName !== null && typeof operationName !== 'string') return refuse('OPERATION_NAME_INVALID')
  if (variables !== null && !isObject(variables)) return refuse('VARIABLES_INVALID')
  if (extensions !== null && !isObject(extensions)) return refuse('EXTENSIONS_INVALID')
  // The GraphQL over HTTP specification reserves every other name. Ignored members could hold personal data, so they
  // are refused.
  if (Object.keys(body).some((name) => !members.has(name))) return refuse('UNKNOWN_MEMBER')
  if (Buffer.byteLength(query) > maxDocumentBytes) {
    return { ok: false, refusal: { code: 'LIMIT_EXCEEDED', detail: 'DOCUMENT_TOO_LARGE' } }
  }
  return { ok: true, request: { query, operationName, variables: variables ?? {} } }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Caller and request id, the context value of resolvers. */
export interface GraphqlCaller extends AccessTokenHolder {
  readonly requestId: string
}

/** Result of a submission: a value for its field or a refusal, with response extensions. */
export type SubmissionAnswer = (
  { readonly value: unknown } | { readonly refusal: Refusal; readonly violations?: ErrorExtensions['violations'] }
) & { readonly extensions?: Readonly<Record<string, unknown>> }

/** Handler of submissions. The two hosts differ only in it. */
export interface SubmissionHandler {
  /** Handles one submission. Its variables may have any name. */
  answer(
    field: SubmissionField,
    input: Readonly<Record<string, unknown>>,
    caller: GraphqlCaller,
  ): Promise<SubmissionAnswer>
  /** Handles a submission whose document breaks the document rules. Default: refuse with the code of the rule. */
  answerIrregular?(document: DocumentNode, variables: Readonly<Record<string, unknown>>, refusal: Refusal): Refusal
}

/**
 * Creates GraphQL over HTTP for one host, as a function of a parsed body.
 *
 * Submissions are handled before graphql-js gets a variable: it would stop at the first invalid value, and its messages
 * quote values. It then executes the document with placeholders, so it never receives personal data.
 */
export function createGraphqlEndpoint(options: {
  readonly schema: GraphQLSchema
  readonly handler: SubmissionHandler
  readonly validationRules?: readonly ValidationRule[]
}): (request: {
  readonly mediaType: GraphqlMediaType
  readonly params: GraphqlRequest
  readonly caller: GraphqlCaller
}) => Promise<GraphqlAnswer> {
  const { schema, handler } = options
  const documents = createDocumentCache(schema, options.validationRules)

  return async ({ mediaType, params: { query, operationName, variables }, caller }) => {
    const { requestId } = caller
    const refuse = (refusal: Refusal) => answerRefusal(refusal, mediaType, requestId)
    const checked = documents(query)
    if (!checked.ok) return refuse(checked)
    const { document, submission } = checked
    if (submission.limits.readsUser && !caller.scopes.includes(submissionScope)) return refuse({ code: 'FORBIDDEN' })
    const inspected = submission.inspect(operationName, variables)
    if (!inspected.ok) return refuse(handler.answerIrregular?.(document, variables, inspected) ?? inspected)

    const run = async (values: {
      readonly variableValues: Readonly<Record<string, unknown>>
      readonly rootValue?: unknown
      readonly extensions?: Readonly<Record<string, unknown>> | undefined
    }): Promise<GraphqlAnswer> => {
      const { variableValues, rootValue, extensions } = values
      const fieldResolver = limitAnswer()
      try {
        const result = await execute({
          schema,
          document,
          operationName,
          variableValues,
          rootValue,
          contextValue: caller,
          fieldResolver,
        })
        const misfit = result.errors?.find(({ path, extensions: { code } }) => path === undefined && code === undefined)
        if (misfit !== undefined && result.data === undefined) {
          const problem = findVariableProblem(schema, document, misfit.nodes?.[0], query, { maxTokens })
          return refuse({ code: 'GRAPHQL_VALIDATION_FAILED', problem })
        }
        return answerResult(extensions === undefined ? result : { ...result, extensions }, mediaType, requestId)
      } catch (error) {
        if (!(error instanceof AnswerTooLargeError)) throw error
        return refuse({ code: 'LIMIT_EXCEEDED', detail: error.code })
      }
    }

    if (inspected.field === null) {
      if (getOperationAST(document, operationName) != null) return run({ variableValues: variables })
      const reason = 'operationName must name one operation of the document'
      return refuse({ code: 'GRAPHQL_VALIDATION_FAILED', problem: { reason, locations: [] } })
    }
    const answer = await handler.answer(inspected.field, inspected.input, caller)
    if ('refusal' in answer && errorCatalogue[answer.refusal.code].status !== 200) return refuse(answer.refusal)
    const resolve = () => {
      if ('refusal' in answer) throw graphqlRefusal(answer.refusal, requestId, answer.violations)
      return answer.value
    }
    return run({
      variableValues: submission.blankVariables(variables),
      rootValue: { [inspected.field]: resolve },
      extensions: answer.extensions,
    })
  }
}
