import type {
  ArgumentAst,
  DefinitionAst,
  DirectiveAst,
  DocumentAst,
  SelectionAst,
  SelectionSetAst,
  TypeAst,
} from './document-ast.js'

/** Root fields that take a submission. */
export type SubmissionField = 'postKycVerification' | 'validateKycVerification'

/** The rule that a document breaks. */
export type DocumentRefusal =
  | { readonly code: 'ARGUMENTS_MUST_BE_VARIABLES' | 'UNDECLARED_VARIABLE' | 'MULTIPLE_SUBMISSIONS' }
  | { readonly code: 'BAD_REQUEST'; readonly detail: 'ONE_OPERATION_ONLY' | 'SUBMISSION_SKIPPED' | 'UNKNOWN_OPERATION' }
  | { readonly code: 'LIMIT_EXCEEDED'; readonly detail: 'ONE_ROOT_FIELD_ONLY' | 'TOO_MANY_SELECTIONS' }

/** What {@link inspectSubmissionDocument} answers. */
export type InspectedDocument =
  | ({ readonly ok: false } & DocumentRefusal)
  | {
      readonly ok: true
      /** No submission in the document: it may be executed as it is. */
      readonly field: null
    }
  | {
      readonly ok: true
      readonly field: SubmissionField
      /** Key of the field in the response: its alias, or its name. */
      readonly responseKey: string
      /** The arguments by name, with the values of their variables; absent where the variable is. */
      readonly input: Readonly<Record<string, unknown>>
    }

const MAX_SELECTIONS = 2_000

type Variables = Readonly<Record<string, unknown>>

interface RootField {
  readonly selection: SelectionAst
  /** False when `@skip` or `@include` leaves it out, here or on a fragment around it. */
  readonly included: boolean
}

function isSubmissionField(name: string | undefined): name is SubmissionField {
  return name === 'postKycVerification' || name === 'validateKycVerification'
}

function isIncluded(directives: readonly DirectiveAst[] = [], variables: Variables): boolean {
  return directives.every((directive) => {
    if (directive.name.value !== 'skip' && directive.name.value !== 'include') return true
    const condition = directive.arguments?.find((argument) => argument.name.value === 'if')?.value
    const value = condition?.kind === 'Variable' ? variables[String(condition.name?.value)] : condition?.value
    return value === (directive.name.value === 'include')
  })
}

/** Root fields after fragment expansion, or null when there are too many selections. Fragment cycles end at once. */
function rootFields(operation: DefinitionAst, document: DocumentAst, variables: Variables): RootField[] | null {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === 'FragmentDefinition' && definition.name ? [[definition.name.value, definition] as const] : [],
    ),
  )
  const fields: RootField[] = []
  let selections = 0

  function expand(set: SelectionSetAst | undefined, included: boolean, inside: readonly string[]): boolean {
    for (const selection of set?.selections ?? []) {
      selections += 1
      if (selections > MAX_SELECTIONS) return false
      const stays = included && isIncluded(selection.directives, variables)
      if (selection.kind === 'Field') fields.push({ selection, included: stays })
      else if (selection.kind === 'InlineFragment') {
        if (!expand(selection.selectionSet, stays, inside)) return false
      } else {
        const name = String(selection.name?.value)
        if (!inside.includes(name) && !expand(fragments.get(name)?.selectionSet, stays, [...inside, name])) return false
      }
    }
    return true
  }

  return expand(operation.selectionSet, true, []) ? fields : null
}

function argumentInput(args: readonly ArgumentAst[], variables: Variables): Record<string, unknown> {
  // fromEntries defines own properties, so that no argument name can reach a prototype.
  return Object.fromEntries(
    args.flatMap(({ name, value }) => {
      const variable = String(value.name?.value)
      return Object.hasOwn(variables, variable) ? [[name.value, variables[variable]] as const] : []
    }),
  )
}

/**
 * Applies the document rules of a submission and finds its arguments, by their position in the schema and whatever the
 * variables are called.
 *
 * With a submission anywhere in it, a document must hold one operation with one submission and no other root field
 * (`__typename` and an alias are fine), counted after fragment expansion and with skipped fields counted as present;
 * every argument must be a variable (`ARGUMENTS_MUST_BE_VARIABLES`: values in the document cannot be tokenized), no
 * variable may have a default, and no undeclared variable may be sent (`UNDECLARED_VARIABLE`: GraphQL ignores it, logs
 * and proxies do not). A document without a submission answers `field: null`.
 *
 * Validate the document against the schema first. Nothing of the document or the variables is repeated in the answer
 * but `input`.
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
  const operations = document.definitions.filter((definition) => definition.kind === 'OperationDefinition')
  const roots: RootField[] = []
  for (const operation of operations) {
    const fields = rootFields(operation, document, variables)
    if (!fields) return { ok: false, code: 'LIMIT_EXCEEDED', detail: 'TOO_MANY_SELECTIONS' }
    roots.push(...fields)
  }
  const submissions = roots.filter(({ selection }) => isSubmissionField(selection.name?.value))
  const [submission] = submissions
  const [operation] = operations
  if (!submission || !operation) return { ok: true, field: null }

  const args = submissions.flatMap(({ selection }) => selection.arguments ?? [])
  const definitions = operations.flatMap((each) => each.variableDefinitions ?? [])
  if (args.some((argument) => argument.value.kind !== 'Variable') || definitions.some((each) => each.defaultValue)) {
    return { ok: false, code: 'ARGUMENTS_MUST_BE_VARIABLES' }
  }
  if (submissions.length > 1) return { ok: false, code: 'MULTIPLE_SUBMISSIONS' }
  if (operations.length > 1) return { ok: false, code: 'BAD_REQUEST', detail: 'ONE_OPERATION_ONLY' }
  if (operationName != null && operationName !== operation.name?.value) {
    return { ok: false, code: 'BAD_REQUEST', detail: 'UNKNOWN_OPERATION' }
  }
  if (roots.some((root) => root !== submission && root.selection.name?.value !== '__typename')) {
    return { ok: false, code: 'LIMIT_EXCEEDED', detail: 'ONE_ROOT_FIELD_ONLY' }
  }
  const declared = new Set(definitions.map((definition) => definition.variable.name.value))
  if (Object.keys(variables).some((name) => !declared.has(name))) return { ok: false, code: 'UNDECLARED_VARIABLE' }
  if (!submission.included) return { ok: false, code: 'BAD_REQUEST', detail: 'SUBMISSION_SKIPPED' }

  const { selection } = submission
  const field = selection.name?.value as SubmissionField
  return {
    ok: true,
    field,
    responseKey: selection.alias?.value ?? field,
    input: argumentInput(selection.arguments ?? [], variables),
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

/**
 * Placeholders that fit the declared types of all variables: `''` for a String, `{}` for JSON. graphql-js can then
 * execute a document whose submission was decided already, without ever holding a personal value.
 *
 * @param variables As sent. Booleans keep their value, since `@skip` and `@include` of result fields depend on them.
 *
 * @example
 * ```ts
 * import { blankedVariables } from '@kyc-relay/kyc-core/graphql'
 * import { parse } from 'graphql'
 *
 * const document = parse('query ($provider: String!, $person: JSON!) { viewer { userId } }')
 * blankedVariables(document, { provider: 'CUSTOM', person: { firstName: 'Jane' } }) // { provider: '', person: {} }
 * ```
 */
export function blankedVariables(document: DocumentAst, variables: Variables = {}): Record<string, unknown> {
  return Object.fromEntries(
    document.definitions.flatMap((definition) =>
      (definition.variableDefinitions ?? []).map(({ variable, type }) => {
        const name = variable.name.value
        return [name, blankValue(type, Object.hasOwn(variables, name) ? variables[name] : undefined)] as const
      }),
    ),
  )
}
