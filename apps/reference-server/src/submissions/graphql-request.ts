import type { Refusal } from '../http/error-catalogue.js'

/** The parameters of one GraphQL request (GraphQL over HTTP, "Request Parameters"). */
export interface GraphqlRequest {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** 8 KiB: a document holds names, not values. Long ones cost more to check than to send. */
const maxDocumentBytes = 8 * 1024

const members = new Set(['query', 'operationName', 'variables', 'extensions'])

/** Reads the parameters from a JSON body. `null` equals absent; `extensions` may be sent and is not looked at. */
export function parseGraphqlRequest(
  body: Readonly<Record<string, unknown>>,
): { readonly ok: true; readonly request: GraphqlRequest } | { readonly ok: false; readonly refusal: Refusal } {
  const refuse = (detail: string) => ({ ok: false, refusal: { code: 'BAD_REQUEST', detail } }) as const
  const { query, operationName = null, variables = null, extensions = null } = body
  if (typeof query !== 'string' || query.trim() === '') return refuse('QUERY_MISSING')
  if (operationName !== null && typeof operationName !== 'string') return refuse('OPERATION_NAME_INVALID')
  if (variables !== null && !isObject(variables)) return refuse('VARIABLES_INVALID')
  if (extensions !== null && !isObject(extensions)) return refuse('EXTENSIONS_INVALID')
  // The GraphQL over HTTP specification reserves every other name; what is not looked at must not carry personal data either.
  if (Object.keys(body).some((name) => !members.has(name))) return refuse('UNKNOWN_MEMBER')
  if (Buffer.byteLength(query) > maxDocumentBytes) {
    return { ok: false, refusal: { code: 'LIMIT_EXCEEDED', detail: 'DOCUMENT_TOO_LARGE' } }
  }
  return { ok: true, request: { query, operationName, variables: variables ?? {} } }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
