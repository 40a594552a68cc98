import type { Ingestion, VerificationRecord, VerificationStore } from '@kyc-relay/kyc-core'
import type { SubmissionDetails } from '@kyc-relay/kyc-core/internal'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import { createResolvers, typeDefs } from '@kyc-relay/kyc-core/graphql'
import {
  buildSchema,
  getNamedType,
  GraphQLError,
  isIntrospectionType,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql'
import type { GraphqlCaller } from './graphql-endpoint.js'

/** Builds the schema. Tests of kyc-core validate its text; to do it again would delay each start. */
const newSchema = () => buildSchema(typeDefs, { assumeValidSDL: true })

/** Schema of the secure endpoint. The handler, not a resolver, gives the value of its submission fields. */
export const secureSchema: GraphQLSchema = newSchema()

/** The secure endpoint accepts submissions and their dry run. It refuses every other field and introspection. */
export const secureRules: readonly ValidationRule[] = [
  (context) => ({
    Field(node) {
      const type = getNamedType(context.getType())
      if (type !== undefined && isIntrospectionType(type)) {
        context.reportError(new GraphQLError('The secure endpoint has no introspection.', { nodes: node }))
      }
    },
  }),
  (context) => ({
    Field(node) {
      const { value } = node.name
      const parent = context.getParentType()
      const isRoot = parent === context.getSchema().getQueryType() || parent === context.getSchema().getMutationType()
      if (isRoot && value !== 'postKycVerification' && value !== 'validateKycVerification' && value !== '__typename') {
        context.reportError(new GraphQLError('The secure endpoint accepts only submissions.', { nodes: node }))
      }
    },
  }),
]

/** Schema of the standard API: the same, with resolvers for what a user may read. */
export function standardSchema(deps: {
  readonly ingestion: Ingestion
  readonly verifications: VerificationStore
  readonly photoJobs: PhotoJobStore
  readonly openDetails: (record: VerificationRecord) => Promise<SubmissionDetails | null>
}): GraphQLSchema {
  const schema = newSchema()
  const { Query } = createResolvers<GraphqlCaller>({
    ...deps,
    caller: ({ appId, userId }) => ({ appId, userId }),
    createError: (text, options) => new GraphQLError(text, options),
  })
  const fields = schema.getQueryType()?.getFields() ?? {}
  for (const name of ['viewer', 'kycVerification', 'kycVerifications'] as const) {
    const field = fields[name]
    if (field !== undefined) field.resolve = Query[name]
  }
  return schema
}
