// Sends submissions to a running server over connections that stay open.
import { processorUs } from './harness.mjs'
import { variablesOf } from './small-submission.mjs'

export const connections = 64

const query = `mutation Submit($schemaVersion: String!, $externalVerificationProvider: String!, $externalVerificationId: String!,
  $decision: String!, $decisionedAt: String, $person: JSON!, $verifications: JSON!, $externalProviderData: JSON) {
  postKycVerification(schemaVersion: $schemaVersion, externalVerificationProvider: $externalVerificationProvider,
    externalVerificationId: $externalVerificationId, decision: $decision, decisionedAt: $decisionedAt, person: $person,
    verifications: $verifications, externalProviderData: $externalProviderData) { status verificationId message }
}`
const check = (name) => ({ name, status: 'PASSED' })
const small = variablesOf('@@')
const submission = {
  ...small,
  decisionedAt: new Date().toISOString(),
  person: { ...small.person, middleName: 'Q', phoneNumber: '+15555550123', emailAddress: 'jane@example.com' },
  verifications: {
    document: {
      verificationId: 'doc-1',
      status: 'PASSED',
      documentClass: 'DRIVER_LICENSE',
      documentNumber: 'E1234567',
      issuingCountryCode: 'US',
      issuingSubdivision: 'IL',
      expirationDate: '2031-05-31',
      confidenceScore: 98.5,
      checks: [check('face_match'), check('document_authenticity'), check('document_expired')],
    },
    ssn: { ...small.verifications.ssn, checks: [check('ssn_match')] },
  },
  externalProviderData: { templateId: 'itmpl_1', partnerReference: 'ref-4711' },
}
const [before, after] = JSON.stringify({ query, variables: submission }).split('@@')
let sent = 0
const nextBody = () => `${before}bench-${process.pid}-${(sent += 1)}${after}`

/** Access tokens of the users of a demo who may be verified. */
export const tokensOf = ({ users }) =>
  users.filter(({ scopes }) => scopes.includes('VERIFY_KYC')).map(({ accessToken }) => accessToken)

/**
 * Sends `count` submissions, one after another on each of `lanes` connections: the rate, and latencies in milliseconds.
 * `pool` leads to the server with this process id, `tokens` are access tokens of its users.
 */
export async function load({ pool, tokens, pid }, count, lanes = connections) {
  const latencies = []
  let left = count
  const lane = async (number) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${tokens[number % tokens.length]}`,
    }
    while (left-- > 0) {
      const startedAt = performance.now()
      const answer = await pool.request({ method: 'POST', path: '/api/v1/graphql', headers, body: nextBody() })
      const text = await answer.body.text()
      latencies.push(performance.now() - startedAt)
      if (answer.statusCode !== 200 || !text.includes('VERIFIED"')) throw new Error(`${answer.statusCode} ${text}`)
    }
  }
  const startedAt = performance.now()
  const usedBefore = processorUs(pid)
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
  const tookMs = performance.now() - startedAt
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.floor(latencies.length * share)]
  const cpuUs = (processorUs(pid) - usedBefore) / count
  return { perSecond: (count / tookMs) * 1000, p50: at(0.5), p99: at(0.99), cpuUs }
}
