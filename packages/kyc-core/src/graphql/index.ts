export { typeDefs } from './type-definitions.js'
export { inspectSubmissionDocument } from './inspect-document.js'
export { QUERY_LIMITS } from './query-limits.js'
export { createResolvers, type ResolverDependencies } from './resolvers.js'
