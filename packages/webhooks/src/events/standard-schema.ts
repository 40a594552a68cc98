/**
 * The part of Standard Schema (https://standardschema.dev) that is used. Schemas of zod 3.24 and newer, Valibot, ArkType and
 * others have it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** Result of a validation. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** One reason why a value is refused. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type TypesOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types>
  : never

/** The type that a schema takes. */
export type SchemaInput<Schema> = TypesOf<Schema> extends { readonly input: infer Input } ? Input : unknown

/** The type that a schema returns. */
export type SchemaOutput<Schema> = TypesOf<Schema> extends { readonly output: infer Output } ? Output : unknown
