import type {
  ArgumentAst,
  DefinitionAst,
  DocumentAst,
  SelectionAst,
  SelectionSetAst,
  ValueAst,
  VariableDefinitionAst,
} from './document-ast.js'

/**
 * Limits of one GraphQL operation. Every limit is inclusive.
 *
 * @example
 * ```ts
 * import { QUERY_LIMITS } from '@kyc-relay/kyc-core/graphql'
 *
 * console.log(QUERY_LIMITS.pageSize) // 100
 * ```
 */
export const QUERY_LIMITS = {
  /** Most rows of one page (argument `first`). */
  pageSize: 100,
  /** Most values in a response: each selection counts once for every row and list item. */
  cost: 10_000,
  /** Most levels of nested selection sets, fragments included. */
  depth: 25,
  /** Most root fields `viewer`, `kycVerification` and `kycVerifications` together, each alias counted. */
  readingFields: 10,
} as const

/** Default number of rows, used when `first` is absent or null. */
export const DEFAULT_PAGE_SIZE = 50

/** Name of an exceeded limit: `detail` of `LIMIT_EXCEEDED`. */
export type QueryLimit =
  'PAGE_TOO_LARGE' | 'QUERY_TOO_COSTLY' | 'QUERY_TOO_DEEP' | 'ONE_CONNECTION_ONLY' | 'TOO_MANY_ROOT_FIELDS'

/** Fields that read stored data of a user. */
const READING_FIELDS: ReadonlySet<string> = new Set(['viewer', 'kycVerification', 'kycVerifications'])

/** Fields that hold the rows of a connection. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['nodes', 'edges'])

/** Expected number of list items by field name; for introspection, the mean over the schema. */
const LIST_SIZES: ReadonlyMap<string, number> = new Map([
  ['sections', 3],
  ['checks', 10],
  ['photos', 3],
  ['violations', 50],
  ['warnings', 50],
  ['types', 30],
  ['fields', 4],
  ['args', 1],
  ['inputFields', 1],
  ['enumValues', 2],
  ['interfaces', 1],
  ['possibleTypes', 1],
  ['directives', 5],
  // Half of the types wrap another type, so the mean chain is short.
  ['ofType', 0.5],
])

/** Cost of selections: `fixed` counts once, `perRow` counts for every row of the page. */
interface Weight {
  readonly fixed: number
  readonly perRow: number
  /** Nested selection sets. */
  readonly depth: number
  readonly readingFields: number
  /** The argument `first` of each connection. */
  readonly pages: readonly (ValueAst | undefined)[]
}

const NOTHING: Weight = { fixed: 0, perRow: 0, depth: 0, readingFields: 0, pages: [] }

/** Connections beyond the limit are not remembered: nested fragments could double the list without end. */
const MOST_PAGES = 2

function add(one: Weight, other: Weight): Weight {
  return {
    fixed: one.fixed + other.fixed,
    perRow: one.perRow + other.perRow,
    depth: Math.max(one.depth, other.depth),
    readingFields: one.readingFields + other.readingFields,
    pages: [...one.pages, ...other.pages].slice(0, MOST_PAGES),
  }
}

function weightOfField(selection: SelectionAst, inside: Weight): Weight {
  const name = String(selection.name?.value)
  if (PAGE_FIELDS.has(name)) {
    return { ...inside, fixed: 1, perRow: inside.fixed + inside.perRow * QUERY_LIMITS.pageSize }
  }
  const items = LIST_SIZES.get(name) ?? 1
  return {
    depth: inside.depth,
    fixed: 1 + inside.fixed * items,
    perRow: inside.perRow * items,
    readingFields: inside.readingFields + (READING_FIELDS.has(name) ? 1 : 0),
    pages: name === 'kycVerifications' ? [firstOf(selection.arguments), ...inside.pages] : inside.pages,
  }
}

function firstOf(args: readonly ArgumentAst[] = []): ValueAst | undefined {
  return args.find((argument) => argument.name.value === 'first')?.value
}

/**
 * Computes the cost of selections. Each fragment is computed once, however often it is spread. A fragment inside itself
 * costs nothing.
 */
function createScale(document: DocumentAst): (set: SelectionSetAst | undefined) => Weight {
  const fragments = new Map<string, DefinitionAst>()
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition' && definition.name) fragments.set(definition.name.value, definition)
  }
  const known = new Map<string, Weight>()

  function weightOfFragment(name: string, level: number): Weight {
    const weighed = known.get(name)
    if (weighed !== undefined) return weighed
    known.set(name, NOTHING)
    const weight = weigh(fragments.get(name)?.selectionSet, level)
    known.set(name, weight)
    return weight
  }

  function weigh(set: SelectionSetAst | undefined, level: number): Weight {
    if (set === undefined) return NOTHING
    // Deeper documents are refused, so counting stops here. A very deep document must not exhaust the stack.
    if (level > QUERY_LIMITS.depth) return { ...NOTHING, depth: 1 }
    let sum = NOTHING
    for (const selection of set.selections) {
      const inside =
        selection.kind === 'FragmentSpread'
          ? weightOfFragment(String(selection.name?.value), level + 1)
          : weigh(selection.selectionSet, level + 1)
      const weight =
        selection.kind === 'Field' ? weightOfField(selection, inside) : { ...inside, fixed: inside.fixed + 1 }
      sum = add(sum, weight)
    }
    return { ...sum, depth: sum.depth + 1 }
  }

  return (set) => weigh(set, 1)
}

type Variables = Readonly<Record<string, unknown>>

/** Reads `first` as the resolver will see it. An invalid value counts as the largest page; the resolver refuses it. */
function pageSizeOf(
  value: ValueAst | undefined,
  definitions: readonly VariableDefinitionAst[],
  variables: Variables,
): number {
  if (value?.kind === 'Variable') {
    const name = String(value.name?.value)
    const sent = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (sent === null) return DEFAULT_PAGE_SIZE
    if (sent !== undefined) return typeof sent === 'number' ? rowsOf(sent) : QUERY_LIMITS.pageSize
    const definition = definitions.find(({ variable }) => variable.name.value === name)
    return pageSizeOf(definition?.defaultValue, [], {})
  }
  if (value === undefined || value.kind === 'NullValue') return DEFAULT_PAGE_SIZE
  return value.kind === 'IntValue' ? rowsOf(Number(value.value)) : QUERY_LIMITS.pageSize
}

function rowsOf(number: number): number {
  return number >= 1 ? number : QUERY_LIMITS.pageSize
}

/** Prepared limits of a document, for all requests with the same text. */
export interface PreparedQueryLimits {
  /** The limit that the document exceeds with any variables. */
  readonly exceeded: QueryLimit | null
  /** True when the document reads stored data of a user: the access token then needs the scope `VERIFY_KYC`. */
  readonly readsUser: boolean
  /** Returns the limit that the document exceeds with these variables. */
  check(variables: Variables): QueryLimit | null
}

/**
 * Computes the cost of the operations of a document before anything runs. Only the page size depends on variables.
 *
 * The cost of an operation is the number of values that its response can hold. Each selection costs one. Selections
 * inside `nodes` or `edges` are multiplied by the page size, those inside another list by its usual length. Skipped
 * selections count as present. Every operation of the document must stay within the limits.
 *
 * Needs no schema and accepts invalid documents, so call it before validation.
 *
 * @param document Parsed by any version of graphql-js.
 */
export function prepareQueryLimits(document: DocumentAst): PreparedQueryLimits {
  const weigh = createScale(document)
  const operations = document.definitions
    .filter((definition) => definition.kind === 'OperationDefinition')
    .map(({ selectionSet, variableDefinitions = [] }) => ({ weight: weigh(selectionSet), variableDefinitions }))
  const exceeded = operations.map(({ weight }) => shapeLimit(weight)).find((limit) => limit !== null) ?? null
  return {
    exceeded,
    readsUser: operations.some(({ weight }) => weight.readingFields > 0),
    check(variables) {
      if (exceeded !== null) return exceeded
      for (const { weight, variableDefinitions } of operations) {
        const { fixed, perRow, pages } = weight
        const pageSize =
          pages.length === 0 ? QUERY_LIMITS.pageSize : pageSizeOf(pages[0], variableDefinitions, variables)
        if (pageSize > QUERY_LIMITS.pageSize) return 'PAGE_TOO_LARGE'
        if (fixed + perRow * pageSize > QUERY_LIMITS.cost) return 'QUERY_TOO_COSTLY'
      }
      return null
    },
  }
}

function shapeLimit({ depth, pages, readingFields }: Weight): QueryLimit | null {
  if (depth > QUERY_LIMITS.depth) return 'QUERY_TOO_DEEP'
  if (pages.length > 1) return 'ONE_CONNECTION_ONLY'
  return readingFields > QUERY_LIMITS.readingFields ? 'TOO_MANY_ROOT_FIELDS' : null
}
