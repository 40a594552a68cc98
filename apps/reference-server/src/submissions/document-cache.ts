import {
  prepareSubmissionDocument,
  type PreparedSubmissionDocument,
  type QueryLimit,
} from '@kyc-relay/kyc-core/internal'
import {
  BREAK,
  GraphQLError,
  parse,
  specifiedRules,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { ErrorCode } from '../http/error-catalogue.js'
import { findBrokenRule, findDocumentProblem, type DocumentProblem, type DocumentRules } from './document-problem.js'
import { repeatsFields } from './repeated-fields.js'

/** A parsed and validated document, or the refusal. */
export type CheckedDocument =
  | { readonly ok: true; readonly document: DocumentNode; readonly submission: PreparedSubmissionDocument }
  | {
      readonly ok: false
      readonly code: 'LIMIT_EXCEEDED'
      readonly detail: QueryLimit | 'TOO_MANY_REPEATED_FIELDS' | 'TOO_MANY_TOKENS'
    }
  | {
      readonly ok: false
      readonly code: Extract<ErrorCode, 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED'>
      readonly problem: DocumentProblem
    }

const maxDocuments = 500
/** Characters of all cached texts. A parsed document takes up to about 40 times the memory of its text. */
const maxCachedText = 256 * 1024
export const maxTokens = 1000

/**
 * Refuses operations of a type that the schema lacks, such as subscriptions. graphql-js checks none of their fields and
 * finds the missing type only when it executes them.
 */
const operationTypeRule: ValidationRule = (context) => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation) != null) return
    context.reportError(new GraphQLError('the schema has no operations of this type', { nodes: node }))
  },
})

/**
 * Parses and validates documents against a schema, and caches the last 500 by their text, or fewer long ones. Both cost
 * several times the execution, and a partner sends the same text every time.
 *
 * It caches only valid documents without string literals and without values in a submission: they may be inlined
 * personal data.
 */
export function createDocumentCache(
  schema: GraphQLSchema,
  extraRules: readonly ValidationRule[] = [],
): (text: string) => CheckedDocument {
  const rules = { specified: specifiedRules, own: [operationTypeRule, ...extraRules] }
  const checked = new LRUCache<string, CheckedDocument>({
    max: maxDocuments,
    maxSize: maxCachedText,
    sizeCalculation: (_checked, text) => text.length,
  })
  return (text) => {
    const known = checked.get(text)
    if (known !== undefined) return known
    const result = check(schema, text, rules)
    if (result.ok && !isInlined(result.submission) && !hasStringLiteral(result.document)) checked.set(text, result)
    return result
  }
}

function hasStringLiteral(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    StringValue() {
      found = true
      return BREAK
    },
  })
  return found
}

/**
 * Checks for a submission with a value in its document, whatever its variables. A document with too many selections is
 * not searched, so it counts as having one.
 */
function isInlined(submission: PreparedSubmissionDocument): boolean {
  const inspected = submission.inspect(null, {})
  if (inspected.ok) return false
  const { code } = inspected
  return (
    code === 'ARGUMENTS_MUST_BE_VARIABLES' || (code === 'LIMIT_EXCEEDED' && inspected.detail === 'TOO_MANY_SELECTIONS')
  )
}

/** Checks whether a document that did not parse only has too many tokens. */
function hasTooManyTokens(text: string): boolean {
  try {
    parse(text, { noLocation: true })
    return true
  } catch {
    return false
  }
}

function check(schema: GraphQLSchema, text: string, rules: DocumentRules): CheckedDocument {
  const refuse = (code: 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED'): CheckedDocument => ({
    ok: false,
    code,
    problem: findDocumentProblem(schema, text, rules, { maxTokens }),
  })
  let document: DocumentNode
  try {
    document = parse(text, { maxTokens, noLocation: true })
  } catch {
    // A RangeError of a deeply nested document is a client error, like a syntax error.
    return hasTooManyTokens(text)
      ? { ok: false, code: 'LIMIT_EXCEEDED', detail: 'TOO_MANY_TOKENS' }
      : refuse('GRAPHQL_PARSE_FAILED')
  }
  try {
    const submission = prepareSubmissionDocument(document)
    const { exceeded } = submission.limits
    if (exceeded !== null) return { ok: false, code: 'LIMIT_EXCEEDED', detail: exceeded }
    if (repeatsFields(document)) return { ok: false, code: 'LIMIT_EXCEEDED', detail: 'TOO_MANY_REPEATED_FIELDS' }
    // A value in place of a variable leaves the variable unused. `inspect` names the mistake: an inlined value.
    return findBrokenRule(schema, document, rules, !isInlined(submission)) === null
      ? { ok: true, document, submission }
      : refuse('GRAPHQL_VALIDATION_FAILED')
  } catch {
    return { ok: false, code: 'GRAPHQL_VALIDATION_FAILED', problem: { locations: [] } }
  }
}
