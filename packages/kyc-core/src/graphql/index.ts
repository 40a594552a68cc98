export { typeDefs } from './type-definitions.js'
export {
  blankedVariables,
  inspectSubmissionDocument,
  prepareSubmissionDocument,
  type DocumentRefusal,
  type InspectedDocument,
  type PreparedSubmissionDocument,
  type SubmissionField,
} from './inspect-document.js'
export type {
  ArgumentAst,
  DefinitionAst,
  DirectiveAst,
  DocumentAst,
  NameAst,
  SelectionAst,
  SelectionSetAst,
  TypeAst,
  ValueAst,
  VariableDefinitionAst,
} from './document-ast.js'
export { prepareQueryLimits, QUERY_LIMITS, type PreparedQueryLimits, type QueryLimit } from './query-limits.js'
export { createResolvers, type ResolverDependencies } from './resolvers.js'
