// GraphQL Yoga answering `postKycVerification` with a constant: the cost of a request without any work.
// Two listeners in a separate process, one plain and one with TLS.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createSchema, createYoga } from 'graphql-yoga'

const [, , certFile, keyFile] = process.argv
const yoga = createYoga({
  graphqlEndpoint: '/api/v1/graphql',
  graphiql: false,
  landingPage: false,
  logging: false,
  schema: createSchema({
    typeDefs: `
      scalar JSON
      type Query { viewer: String }
      type Mutation {
        postKycVerification(schemaVersion: String!, externalVerificationProvider: String!, externalVerificationId: String!,
          decision: String!, decisionReason: String, decisionedAt: String, person: JSON!, verifications: JSON!,
          externalProviderData: JSON): PostKycVerificationResponse
      }
      type PostKycVerificationResponse { status: String!, verificationId: String!, message: String! }`,
    resolvers: {
      Mutation: {
        postKycVerification: () => ({
          status: 'VERIFIED',
          verificationId: '0a000000-0000-7000-8000-00000000000a',
          message: 'The verification was recorded and the user is verified.',
        }),
      },
    },
  }),
})

const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
const plain = await listen(createServer({ keepAliveTimeout: 60_000 }, yoga))
const secure = await listen(createTlsServer({ keepAliveTimeout: 60_000, ...tls }, yoga))
process.send({ plain, secure })
process.on('disconnect', () => process.exit(0))
