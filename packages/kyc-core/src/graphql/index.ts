export { typeDefs } from './type-definitions.js'
export {
  inspectSubmissionDocument,
  prepareSubmissionDocument,
  type PreparedSubmissionDocument,
  type SubmissionField,
} from './inspect-document.js'
export { QUERY_LIMITS, type QueryLimit } from './query-limits.js'
export { createResolvers, type ResolverDependencies } from './resolvers.js'
