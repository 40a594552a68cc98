import {
  ExecutableDefinitionsRule,
  FieldsOnCorrectTypeRule,
  FragmentsOnCompositeTypesRule,
  getLocation,
  getNamedType,
  GraphQLError,
  isLeafType,
  isRequiredArgument,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  PossibleFragmentSpreadsRule,
  ProvidedRequiredArgumentsRule,
  ScalarLeafsRule,
  typeFromAST,
  TypeInfo,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  validate,
  ValuesOfCorrectTypeRule,
  VariablesAreInputTypesRule,
  VariablesInAllowedPositionRule,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  type NamedTypeNode,
  type ValidationContext,
  type ValidationRule,
  type VariableDefinitionNode,
} from 'graphql'

/** What is wrong with a document: a reason in the words of our schema, and the position. Nothing of the document. */
export interface DocumentProblem {
  /** Begins a sentence or continues one; without a full stop. */
  readonly reason?: string
  readonly locations: readonly { readonly line: number; readonly column: number }[]
}

/** Coordinates of the schema at one node of a document. */
interface Place {
  /** The type around a field, such as `Viewer`. */
  readonly parent: string | null
  /** Such as `Query.viewer`. */
  readonly field: string | null
  /** Such as `Query.kycVerification(verificationId:)`. */
  readonly argument: string | null
  /** The type that the schema expects of an argument, such as `ID!`. */
  readonly expected: string | null
  /** The type of the field. */
  readonly type: string | null
  readonly isLeaf: boolean
  /** Required arguments that a field lacks. */
  readonly lacking: readonly string[]
}

const somewhere: Place = {
  parent: null,
  field: null,
  argument: null,
  expected: null,
  type: null,
  isLeaf: false,
  lacking: [],
}

/** Reasons by rule. A rule that is not listed has only its position. */
const reasons = new Map<ValidationRule, (place: Place) => string>([
  [FieldsOnCorrectTypeRule, ({ parent }) => `${parent ?? 'the type'} has no such field`],
  [KnownArgumentNamesRule, ({ field }) => `${field ?? 'this directive'} has no such argument`],
  [
    ProvidedRequiredArgumentsRule,
    ({ field, lacking }) => `${field ?? 'this directive'} lacks an argument: ${lacking.join(', ')}`,
  ],
  [
    ScalarLeafsRule,
    ({ field, type, isLeaf }) =>
      isLeaf ? `${field} is ${type}, which has no fields` : `select fields of ${field}, which is ${type}`,
  ],
  [ValuesOfCorrectTypeRule, ({ argument, expected }) => `${argument ?? 'the value'} expects ${expected ?? 'its type'}`],
  [
    VariablesInAllowedPositionRule,
    ({ argument, expected }) =>
      `${argument ?? 'this place'} expects ${expected ?? 'its type'}, and the variable is declared with another type`,
  ],
  [KnownTypeNamesRule, () => 'the schema has no such type'],
  [NoUndefinedVariablesRule, ({ argument }) => `${argument ?? 'this place'} has a variable that is not declared`],
  [NoUnusedVariablesRule, () => 'a declared variable is not used'],
  [KnownFragmentNamesRule, () => 'the document has no such fragment'],
  [NoUnusedFragmentsRule, () => 'a fragment is not used'],
  [PossibleFragmentSpreadsRule, ({ parent }) => `a fragment here must be on ${parent ?? 'the type around it'}`],
  [KnownDirectivesRule, () => 'the schema has no such directive, or it is not allowed here'],
  [OverlappingFieldsCanBeMergedRule, () => 'two fields have the same response name; give one an alias'],
  [ExecutableDefinitionsRule, () => 'only operations and fragments are allowed'],
  [UniqueDirectivesPerLocationRule, () => 'a directive is repeated here'],
  [UniqueArgumentNamesRule, () => 'an argument is given twice'],
  [UniqueInputFieldNamesRule, () => 'an object has a field twice'],
  [UniqueVariableNamesRule, () => 'a variable is declared twice'],
  [UniqueFragmentNamesRule, () => 'two fragments have the same name'],
  [UniqueOperationNamesRule, () => 'two operations have the same name'],
  [NoFragmentCyclesRule, () => 'a fragment contains itself'],
  [VariablesAreInputTypesRule, () => 'a variable cannot have this type'],
  [FragmentsOnCompositeTypesRule, () => 'a fragment must be on a type with fields'],
  [LoneAnonymousOperationRule, () => 'an operation without a name must be the only one'],
])

/** The rules of a host: those of the GraphQL specification, and its own, whose texts are fixed. */
export interface DocumentRules {
  readonly specified: readonly ValidationRule[]
  readonly own: readonly ValidationRule[]
}

interface BrokenRule {
  readonly rule: ValidationRule
  readonly error: GraphQLError
}

/**
 * Finds the first problem in the order of the document, and stops there: the rest of the document costs nothing.
 *
 * A variable is often unused because of another mistake, such as a value in its place. So unused variables come last,
 * and not at all unless `checksUnused`.
 */
export function findBrokenRule(
  schema: GraphQLSchema,
  document: DocumentNode,
  { specified, own }: DocumentRules,
  checksUnused: boolean,
): BrokenRule | null {
  const others = [...specified.filter((rule) => rule !== NoUnusedVariablesRule), ...own]
  return (
    firstBroken(schema, document, others) ??
    (checksUnused ? firstBroken(schema, document, [NoUnusedVariablesRule]) : null)
  )
}

function firstBroken(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): BrokenRule | null {
  let first: BrokenRule | null = null
  const noting = rules.map((rule): ValidationRule => (context) => {
    const reportError = (error: GraphQLError): void => {
      first ??= { rule, error }
      context.reportError(error)
    }
    return rule(Object.create(context, { reportError: { value: reportError } }) as ValidationContext)
  })
  // With `maxErrors: 1` validation would go on to a second error.
  validate(schema, document, noting, { maxErrors: 0 })
  return first
}

/**
 * Finds the first problem of an invalid document. It parses the document again with positions, so that valid documents
 * do not pay for them. Messages of `graphql` quote the document and are dropped.
 */
export function findDocumentProblem(
  schema: GraphQLSchema,
  text: string,
  rules: DocumentRules,
  parseOptions: { readonly maxTokens: number },
): DocumentProblem {
  let document
  try {
    document = parse(text, parseOptions)
  } catch (error) {
    return { locations: error instanceof GraphQLError ? (error.locations ?? []) : [] }
  }
  const broken = findBrokenRule(schema, document, rules, true)
  if (broken === null) return { locations: [] }
  const { rule, error } = broken
  if (rules.own.includes(rule)) return { reason: error.message, locations: error.locations ?? [] }
  const reason = reasons.get(rule)
  const [declared, used] = error.nodes ?? []
  // Of a variable in a wrong place the first node is its declaration, the second its use.
  const node = rule === VariablesInAllowedPositionRule ? used : declared
  const locations = node?.loc === undefined ? [] : [positionOf(node.loc)]
  if (reason === undefined) return { locations }
  return { reason: reason(node === undefined ? somewhere : placeOf(schema, document, node)), locations }
}

function positionOf({ source, start }: NonNullable<ASTNode['loc']>): DocumentProblem['locations'][number] {
  const { line, column } = getLocation(source, start)
  return { line, column }
}

function placeOf(schema: GraphQLSchema, document: ASTNode, node: ASTNode): Place {
  const types = new TypeInfo(schema)
  let place = somewhere
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(each) {
        // Of a selection the field in front of it counts.
        const isAround = each.kind === Kind.FIELD && each.selectionSet === node
        if (place !== somewhere || (each !== node && !isAround)) return undefined
        const parent = types.getParentType()
        const field = types.getFieldDef()
        const argument = types.getArgument()
        const directive = types.getDirective()
        const expected = types.getInputType()
        const type = types.getType()
        const owner = directive == null ? ownerOf(parent?.name, field?.name) : `@${directive.name}`
        const given = 'arguments' in each ? (each.arguments ?? []).map(({ name }) => name.value) : []
        const required = (directive?.args ?? field?.args ?? []).filter(isRequiredArgument)
        place = {
          parent: parent?.name ?? null,
          field: owner,
          argument: argument == null ? null : `${owner ?? ''}(${argument.name}:)`,
          expected: expected == null ? null : String(expected),
          type: type == null ? null : String(type),
          isLeaf: isLeafType(getNamedType(type)),
          lacking: required.map(({ name }) => name).filter((name) => !given.includes(name)),
        }
        return undefined
      },
    }),
  )
  return place
}

function ownerOf(parent: string | undefined, field: string | undefined): string | null {
  return parent === undefined || field === undefined ? null : `${parent}.${field}`
}

/**
 * Finds the problem of variables that do not fit: the declaration of the variable at fault, by its place in the
 * document. `graphql` names it in an error without a position, because documents are kept without positions.
 */
export function findVariableProblem(
  schema: GraphQLSchema,
  document: ASTNode,
  declaration: ASTNode | undefined,
  text: string,
  parseOptions: { readonly maxTokens: number },
): DocumentProblem {
  const located = declarationsOf(parse(text, parseOptions))[
    declarationsOf(document).findIndex((one) => one === declaration)
  ]
  const type = located === undefined ? undefined : typeFromAST(schema, located.type as NamedTypeNode)
  return {
    reason: `the value of a variable does not fit ${type === undefined ? 'its type' : String(type)}`,
    locations: located?.loc === undefined ? [] : [positionOf(located.loc)],
  }
}

function declarationsOf(document: ASTNode): VariableDefinitionNode[] {
  const found: VariableDefinitionNode[] = []
  visit(document, { VariableDefinition: (node) => void found.push(node) })
  return found
}
