const SUBMISSION_ARGUMENTS = `
    schemaVersion: String!
    externalVerificationProvider: String!
    externalVerificationId: String!
    decision: String!
    decisionReason: String
    decisionedAt: String
    "An object: member person of the JSON Schema at /api/v1/schemas/kyc-submission-1.0.json."
    person: JSON!
    "An object: member verifications of the JSON Schema at /api/v1/schemas/kyc-submission-1.0.json."
    verifications: JSON!
    "An object with any members of the provider."
    externalProviderData: JSON`

/**
 * The GraphQL schema as SDL. Build it with your server's copy of `graphql`.
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
  "The verifications of the user, newest first. first: 1 to 100, default 50. At most once in an operation."
  kycVerifications(first: Int, after: String): KycVerificationConnection!
  "The dry run: violations, at most 50, and warnings of a submission. Writes nothing. Secure endpoint only."
  validateKycVerification(${SUBMISSION_ARGUMENTS}
  ): KycVerificationValidation
}

type Mutation {
  "Records the decided result of an identity verification. Secure endpoint only. Pass every argument as a variable."
  postKycVerification(${SUBMISSION_ARGUMENTS}
  ): PostKycVerificationResponse
  "The same dry run, for clients that send the mutation document unchanged."
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
  "At most 50."
  violations: [SubmissionRemark!]!
  "At most 50 of them are PII_BEYOND_TYPED_FIELDS."
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
  "The three response fields of the original submission."
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
  "Effect of this verification on the KYC status of the user."
  statusLog: KycStatusLogEntry!
  "Photos of the document: front, back, selfie. Empty when the submission has none or the service fetches none."
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
  "Reasons as they were sent; empty for none. Null after the user was erased."
  reasons: [String!]
}

type KycPhoto {
  "front, back or selfie."
  side: String!
  state: KycPhotoState!
  "Attempts to fetch the photo so far, including one in progress."
  attemptsMade: Int!
  "RFC 3339, UTC. Null while an attempt is in progress and in a final state."
  nextAttemptAt: String
  "Reason of the last failed attempt, kept when a later attempt succeeds. Null when no attempt failed."
  lastFailure: KycPhotoFailure
  "RFC 3339, UTC. Time of the final state, null before. Erasing the user does not change an earlier time."
  endedAt: String
}

"Attempts follow only in PENDING and RETRYING. With a new URL from the operator, a REFUSED or UNAVAILABLE photo is PENDING again."
enum KycPhotoState {
  "The first attempt has not ended."
  PENDING
  "An attempt failed; the next one is scheduled or in progress."
  RETRYING
  "The photo was fetched and stored."
  STORED
  "The content is not a photo or too large, or the URL leads to an address that is not allowed."
  REFUSED
  "The photo could not be fetched in time, or its server answered 410."
  UNAVAILABLE
  "The user was erased."
  ERASED
}

enum KycPhotoFailure {
  "The URL itself may not be fetched."
  URL_NOT_ALLOWED
  "A redirect has no location, or its target is not allowed."
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
  "The response was not valid HTTP."
  INVALID_RESPONSE
  "The stored URL cannot be decrypted."
  URL_UNREADABLE
  "The service's DNS resolver failed."
  RESOLVER_DOWN
  "The service had no free socket."
  OUT_OF_SOCKETS
  "The service's outbound proxy failed."
  PROXY_FAILED
  "The service's vault was unreachable."
  VAULT_UNAVAILABLE
  "The service's photo storage was unreachable."
  PHOTO_STORE_UNAVAILABLE
  "An internal error of the service."
  INTERNAL_ERROR
}

type KycStatusLogEntry {
  previous: KycStatus!
  next: KycStatus!
  "RFC 3339, UTC."
  at: String!
  "As it was sent; null for none, and after the user was erased. An operator's reason is never shown."
  decisionReason: String
  source: KycStatusSource!
}

enum KycStatusSource {
  "A submission of a partner."
  SUBMISSION
  "A correction by the operator."
  OPERATOR
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
