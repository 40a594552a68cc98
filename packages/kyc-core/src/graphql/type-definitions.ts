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
  "The verifications of the user, newest first. first: 1 to 100, default 50. Once in an operation."
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
  "Attempts to fetch it so far, one under way included."
  attemptsMade: Int!
  "RFC 3339, UTC. Null while an attempt is under way and in a final state."
  nextAttemptAt: String
  "Why the last attempt that failed did; it stays when a later one succeeds. Null when none failed."
  lastFailure: KycPhotoFailure
  "RFC 3339, UTC. When it came to a final state; an erasure leaves an earlier end as it is. Null before."
  endedAt: String
}

"All but PENDING and RETRYING are final."
enum KycPhotoState {
  "Its first attempt is to come or under way."
  PENDING
  "An attempt ended without it: the next one is to come or under way."
  RETRYING
  "Fetched and kept."
  STORED
  "What its URL leads to is not taken: no photo, too large, or a place where nothing is fetched from."
  REFUSED
  "It could not be had within its time, or its server says that it is gone."
  UNAVAILABLE
  "Its user was erased."
  ERASED
}

enum KycPhotoFailure {
  "The URL itself may not be fetched."
  URL_NOT_ALLOWED
  "A redirect leads where nothing is fetched from, or nowhere."
  REDIRECT_NOT_ALLOWED
  "A name resolves to an address that is not public."
  ADDRESS_NOT_ALLOWED
  TOO_MANY_REDIRECTS
  "More than 10 MB."
  TOO_LARGE
  "Neither JPEG, PNG, WebP nor HEIC by its first bytes."
  NOT_A_PHOTO
  "Neither 200 nor a redirect. 410 ends the photo at once."
  HTTP_STATUS
  DNS_FAILED
  CONNECT_FAILED
  TLS_FAILED
  TIMEOUT
  "The connection broke, or the body ended before its announced length."
  CONNECTION_LOST
  "What came was no HTTP."
  INVALID_RESPONSE
  "The sealed URL cannot be opened any more."
  URL_UNREADABLE
  "Our own name resolution did not work."
  RESOLVER_DOWN
  "We had no socket left."
  OUT_OF_SOCKETS
  "Our vault could not be reached."
  VAULT_UNAVAILABLE
  "Our photo storage could not be reached."
  PHOTO_STORE_UNAVAILABLE
  "An error of ours."
  INTERNAL_ERROR
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
