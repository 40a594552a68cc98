/*
 * Structural types for the parts of a GraphQL document that the rules read. Documents parsed by any copy and version of
 * `graphql` fit. This package does not load `graphql`.
 */

/** A name in a document. */
export interface NameAst {
  readonly value: string
}

/** Any value in a document. The rules read only variables. */
export interface ValueAst {
  readonly kind: string
  readonly name?: NameAst
  readonly value?: unknown
}

/** A type reference of a variable. */
export interface TypeAst {
  readonly kind: string
  readonly name?: NameAst
  readonly type?: TypeAst
}

/** `name: value` */
export interface ArgumentAst {
  readonly name: NameAst
  readonly value: ValueAst
}

/** `@name(...)` */
export interface DirectiveAst {
  readonly name: NameAst
  readonly arguments?: readonly ArgumentAst[] | undefined
}

/** A field, a fragment spread or an inline fragment. */
export interface SelectionAst {
  readonly kind: string
  readonly name?: NameAst | undefined
  readonly alias?: NameAst | undefined
  readonly arguments?: readonly ArgumentAst[] | undefined
  readonly directives?: readonly DirectiveAst[] | undefined
  readonly selectionSet?: SelectionSetAst | undefined
}

/** `{ ... }` */
export interface SelectionSetAst {
  readonly selections: readonly SelectionAst[]
}

/** `$name: Type = default` */
export interface VariableDefinitionAst {
  readonly variable: { readonly name: NameAst }
  readonly type: TypeAst
  readonly defaultValue?: ValueAst | undefined
}

/** An operation, a fragment, or another definition. */
export interface DefinitionAst {
  readonly kind: string
  /** Of an operation: `query`, `mutation` or `subscription`. */
  readonly operation?: string | undefined
  readonly name?: NameAst | undefined
  readonly variableDefinitions?: readonly VariableDefinitionAst[] | undefined
  readonly selectionSet?: SelectionSetAst | undefined
}

/** A parsed document: `DocumentNode` of graphql-js fits. */
export interface DocumentAst {
  readonly definitions: readonly DefinitionAst[]
}
