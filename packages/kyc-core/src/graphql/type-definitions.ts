const SUBMISSION_ARGUMENTS = `
    schemaVersion: String!
    externalVerificationProvider: String!
    externalVerificationId: String!
    decision: String!
    decisionReason: String
    decisionedAt: String
    person: JSON!
    verifications: JSON!
    externalProviderData: JSON`

/**
 * The GraphQL schema as SDL, to build with any server's copy of `graphql`.
 *
 * @example
 * ```ts
 * import { typeDefs } from '@kyc-relay/kyc-core/graphql'
 * import { buildSchema } from 'graphql'
 *
 * const schema = buildSchema(typeDefs)
 * ```
 */
export const typeDefs = `"""Any value of JSON. Sent as a variable, never inlined and never as a string of JSON."""
scalar JSON

type Query {
  "The user of the access token."
  viewer: Viewer!
  "One verification of the user, or null."
  kycVerification(verificationId: ID!): KycVerification
  "The verifications of the user, newest first. first: 1 to 200, default 50."
  kycVerifications(first: Int, after: String): KycVerificationConnection!
  "The dry run: every violation and warning of a submission. Writes nothing. Secure endpoint only."
  validateKycVerification(${SUBMISSION_ARGUMENTS}
  ): KycVerificationValidation
}

type Mutation {
  "Takes the result of an identity verification that a provider has decided. Secure endpoint only; arguments as variables."
  postKycVerification(${SUBMISSION_ARGUMENTS}
  ): PostKycVerificationResponse
  "The dry run, as a mutation field for clients that build one document for both."
  validateKycVerification(${SUBMISSION_ARGUMENTS}
  ): KycVerificationValidation
}

type PostKycVerificationResponse {
  "VERIFIED, ALREADY_VERIFIED or DECLINED."
  status: String!
  "UUID of the verification record."
  verificationId: String!
  message: String!
}

type KycVerificationValidation {
  valid: Boolean!
  violations: [SubmissionRemark!]!
  warnings: [SubmissionRemark!]!
}

"One reason why a submission would be refused, or one remark on it."
type SubmissionRemark {
  "JSON Pointer into the arguments."
  pointer: String!
  code: String!
  message: String!
}

type Viewer {
  userId: ID!
  kycStatus: KycStatus!
}

enum KycStatus {
  UNVERIFIED
  PASS
  PASS_INTERNATIONAL
}

type KycVerification {
  verificationId: ID!
  "The three response fields as they were answered."
  status: String!
  message: String!
  schemaVersion: String!
  externalVerificationProvider: String!
  externalVerificationId: String!
  decision: String!
  "RFC 3339, UTC."
  decisionedAt: String!
  "RFC 3339, UTC."
  recordedAt: String!
  countryCode: String!
  sections: [KycVerificationSection!]!
  "All outcomes in order of appearance."
  checks: [KycCheck!]!
  "Names of the FAILED checks, without repetition."
  declineCodes: [String!]!
  "What this verification did to the KYC status of the user."
  statusLog: KycStatusLogEntry!
  "Photos of the document, front, back, selfie; empty where none were named or the service takes none."
  photos: [KycPhoto!]!
}

type KycVerificationSection {
  "document, ssn or database."
  section: String!
  verificationId: String!
  status: String!
}

type KycCheck {
  section: String!
  name: String!
  status: String!
}

type KycPhoto {
  "front, back or selfie."
  side: String!
  state: KycPhotoState!
}

enum KycPhotoState {
  "To be fetched, or being fetched."
  PENDING
  STORED
  "It could not be had within its time."
  UNAVAILABLE
  ERASED
}

type KycStatusLogEntry {
  previous: KycStatus!
  next: KycStatus!
  "RFC 3339, UTC."
  at: String!
}

type KycVerificationConnection {
  edges: [KycVerificationEdge!]!
  nodes: [KycVerification!]!
  pageInfo: PageInfo!
}

type KycVerificationEdge {
  cursor: String!
  node: KycVerification!
}

type PageInfo {
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}
`
