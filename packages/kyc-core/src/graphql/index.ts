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
export { createResolvers, type ResolverDependencies } from './resolvers.js'
