import { setOwn } from '../own-member.js'
import type {
  DefinitionAst,
  DirectiveAst,
  DocumentAst,
  SelectionAst,
  SelectionSetAst,
  TypeAst,
} from './document-ast.js'
import { prepareQueryLimits, type PreparedQueryLimits, type QueryLimit } from './query-limits.js'

/** Root fields with a submission as arguments. */
export type SubmissionField = 'postKycVerification' | 'validateKycVerification'

/** Code of the rule that a document breaks. */
export type DocumentRefusal =
  | { readonly code: 'ARGUMENTS_MUST_BE_VARIABLES' | 'UNDECLARED_VARIABLE' | 'MULTIPLE_SUBMISSIONS' }
  | {
      readonly code: 'BAD_REQUEST'
      readonly detail: 'ONE_OPERATION_ONLY' | 'SUBMISSION_SKIPPED' | 'SUBSCRIPTION' | 'UNKNOWN_OPERATION'
    }
  | { readonly code: 'LIMIT_EXCEEDED'; readonly detail: 'ONE_ROOT_FIELD_ONLY' | 'TOO_MANY_SELECTIONS' | QueryLimit }

/** Result of {@link inspectSubmissionDocument}. */
export type InspectedDocument =
  | ({ readonly ok: false } & DocumentRefusal)
  | {
      readonly ok: true
      /** The document has no submission and may be executed. */
      readonly field: null
    }
  | {
      readonly ok: true
      readonly field: SubmissionField
      /** Response key of the field: its alias, or its name. */
      readonly responseKey: string
      /** Arguments by name, with the values of their variables. An argument with an absent variable is absent. */
      readonly input: Readonly<Record<string, unknown>>
    }

const MAX_SELECTIONS = 2_000

type Variables = Readonly<Record<string, unknown>>

/** Directives of a selection and of the fragments around it: each can skip the selection. */
interface Conditions {
  readonly directives: readonly DirectiveAst[]
  readonly around: Conditions | null
}

interface RootField {
  readonly selection: SelectionAst
  readonly conditions: Conditions
}

function isSubmissionField(name: string | undefined): name is SubmissionField {
  return name === 'postKycVerification' || name === 'validateKycVerification'
}

function isIncluded(conditions: Conditions | null, variables: Variables): boolean {
  if (conditions === null) return true
  return (
    conditions.directives.every((directive) => allows(directive, variables)) && isIncluded(conditions.around, variables)
  )
}

function allows(directive: DirectiveAst, variables: Variables): boolean {
  if (directive.name.value !== 'skip' && directive.name.value !== 'include') return true
  const condition = directive.arguments?.find((argument) => argument.name.value === 'if')?.value
  const value = condition?.kind === 'Variable' ? variables[String(condition.name?.value)] : condition?.value
  return value === (directive.name.value === 'include')
}

/**
 * Lists root fields of all operations after fragment expansion; null when there are too many selections. Cycles of
 * fragments end.
 */
function rootFields(operations: readonly DefinitionAst[], document: DocumentAst): RootField[] | null {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === 'FragmentDefinition' && definition.name ? [[definition.name.value, definition] as const] : [],
    ),
  )
  const fields: RootField[] = []
  let selections = 0

  function expand(set: SelectionSetAst | undefined, around: Conditions | null, inside: readonly string[]): boolean {
    for (const selection of set?.selections ?? []) {
      selections += 1
      if (selections > MAX_SELECTIONS) return false
      const conditions = { directives: selection.directives ?? [], around }
      if (selection.kind === 'Field') fields.push({ selection, conditions })
      else if (selection.kind === 'InlineFragment') {
        if (!expand(selection.selectionSet, conditions, inside)) return false
      } else {
        const name = String(selection.name?.value)
        if (!inside.includes(name) && !expand(fragments.get(name)?.selectionSet, conditions, [...inside, name]))
          return false
      }
    }
    return true
  }

  return operations.every(({ selectionSet }) => expand(selectionSet, null, [])) ? fields : null
}

/** An argument name with the name of its variable. */
type PassedOn = readonly [argument: string, variable: string]

function argumentInput(passedOn: readonly PassedOn[], variables: Variables): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [argument, variable] of passedOn) {
    if (Object.hasOwn(variables, variable)) setOwn(input, argument, variables[variable])
  }
  return input
}

/**
 * Checks a document against the submission rules and returns the arguments of its submission. Variables may have any
 * name.
 *
 * A document with a submission must follow these rules:
 * - It has one operation, with the submission as its only root field. `__typename` and an alias are allowed.
 *   Fragments are expanded first, and skipped fields count as present.
 * - Every argument is a variable, and no variable has a default (`ARGUMENTS_MUST_BE_VARIABLES`): a value in the
 *   document cannot be tokenized.
 * - Every variable sent is declared (`UNDECLARED_VARIABLE`): GraphQL ignores undeclared variables, but logs and
 *   proxies do not.
 *
 * A document without a submission gives `field: null`.
 *
 * Every document must stay within {@link QUERY_LIMITS} with these variables (`LIMIT_EXCEEDED`).
 *
 * Validate the document against the schema first. Only `input` of the result holds data from the request.
 *
 * @param document Parsed by any version of graphql-js.
 *
 * @example
 * ```ts
 * import { inspectSubmissionDocument } from '@kyc-relay/kyc-core/graphql'
 * import { parse } from 'graphql'
 *
 * const document = parse('mutation ($d: String!) { postKycVerification(decision: $d) { status } }')
 * const inspected = inspectSubmissionDocument(document, null, { d: 'PASSED' })
 * if (inspected.ok && inspected.field) inspected.input // { decision: 'PASSED' }
 * ```
 */
export function inspectSubmissionDocument(
  document: DocumentAst,
  operationName: string | null | undefined,
  variables: Variables,
): InspectedDocument {
  return prepareSubmissionDocument(document).inspect(operationName, variables)
}

/** A document with every check done that does not depend on variables. */
export interface PreparedSubmissionDocument {
  /** Limits of queries; `inspect` applies them. */
  readonly limits: PreparedQueryLimits
  /** Works as {@link inspectSubmissionDocument}. */
  inspect(operationName: string | null | undefined, variables: Variables): InspectedDocument
  /**
   * Returns placeholders of the declared types for all variables: `''` for a String, `{}` for JSON. graphql-js can then
   * execute the document of a recorded submission without holding a personal value. Booleans keep their value because
   * `@skip` and `@include` of result fields depend on them.
   */
  blankVariables(variables: Variables): Record<string, unknown>
}

/**
 * Prepares a document for repeated use: nothing walks the document again. Do not change the document afterwards.
 *
 * @example
 * ```ts
 * import { prepareSubmissionDocument } from '@kyc-relay/kyc-core/internal'
 * import { parse } from 'graphql'
 *
 * const prepared = prepareSubmissionDocument(
 *   parse('mutation ($d: String!) { postKycVerification(decision: $d) { status } }'),
 * )
 * const inspected = prepared.inspect(null, { d: 'PASSED' })
 * if (inspected.ok && inspected.field) inspected.input // { decision: 'PASSED' }
 * prepared.blankVariables({ d: 'PASSED' }) // { d: '' }
 * ```
 */
export function prepareSubmissionDocument(document: DocumentAst): PreparedSubmissionDocument {
  const limits = prepareQueryLimits(document)
  const inspectSubmission = prepareInspection(document)
  const variables = document.definitions.flatMap((definition) =>
    (definition.variableDefinitions ?? []).map(({ variable, type }) => ({ name: variable.name.value, type })),
  )
  return {
    limits,
    inspect(operationName, sent) {
      const inspected = inspectSubmission(operationName, sent)
      const detail = inspected.ok ? limits.check(sent) : null
      return detail === null ? inspected : { ok: false, code: 'LIMIT_EXCEEDED', detail }
    },
    blankVariables(sent) {
      const blanked: Record<string, unknown> = {}
      for (const { name, type } of variables) {
        setOwn(blanked, name, blankValue(type, Object.hasOwn(sent, name) ? sent[name] : undefined))
      }
      return blanked
    },
  }
}

function prepareInspection(document: DocumentAst): PreparedSubmissionDocument['inspect'] {
  const operations = document.definitions.filter((definition) => definition.kind === 'OperationDefinition')
  const roots = rootFields(operations, document)
  if (!roots) return () => ({ ok: false, code: 'LIMIT_EXCEEDED', detail: 'TOO_MANY_SELECTIONS' })
  const submissions = roots.filter(({ selection }) => isSubmissionField(selection.name?.value))
  const [submission] = submissions
  const [operation] = operations
  if (!submission || !operation) return () => ({ ok: true, field: null })

  const args = submissions.flatMap(({ selection }) => selection.arguments ?? [])
  const definitions = operations.flatMap((each) => each.variableDefinitions ?? [])
  if (args.some((argument) => argument.value.kind !== 'Variable') || definitions.some((each) => each.defaultValue)) {
    return () => ({ ok: false, code: 'ARGUMENTS_MUST_BE_VARIABLES' })
  }
  if (submissions.length > 1) return () => ({ ok: false, code: 'MULTIPLE_SUBMISSIONS' })
  if (operations.length > 1) return () => ({ ok: false, code: 'BAD_REQUEST', detail: 'ONE_OPERATION_ONLY' })
  // graphql-js validates no field of an operation type that the schema lacks, and it fails only at the execution.
  if (operation.operation === 'subscription') return () => ({ ok: false, code: 'BAD_REQUEST', detail: 'SUBSCRIPTION' })
  const alone = roots.every((root) => root === submission || root.selection.name?.value === '__typename')
  const declared = new Set(definitions.map((definition) => definition.variable.name.value))
  const field = submission.selection.name?.value as SubmissionField
  const responseKey = submission.selection.alias?.value ?? field
  const passedOn = args.map(({ name, value }): PassedOn => [name.value, String(value.name?.value)])

  return (operationName, variables) => {
    if (operationName != null && operationName !== operation.name?.value) {
      return { ok: false, code: 'BAD_REQUEST', detail: 'UNKNOWN_OPERATION' }
    }
    if (!alone) return { ok: false, code: 'LIMIT_EXCEEDED', detail: 'ONE_ROOT_FIELD_ONLY' }
    for (const name of Object.keys(variables)) {
      if (!declared.has(name)) return { ok: false, code: 'UNDECLARED_VARIABLE' }
    }
    if (!isIncluded(submission.conditions, variables))
      return { ok: false, code: 'BAD_REQUEST', detail: 'SUBMISSION_SKIPPED' }
    return { ok: true, field, responseKey, input: argumentInput(passedOn, variables) }
  }
}

function blankValue(type: TypeAst, sent: unknown): unknown {
  if (type.kind === 'NonNullType' && type.type) return blankValue(type.type, sent)
  if (type.kind === 'ListType') return []
  switch (type.name?.value) {
    case 'String':
    case 'ID':
      return ''
    case 'Int':
    case 'Float':
      return 0
    case 'Boolean':
      return sent === true
    default:
      return {}
  }
}
