import { graphql, internal, webhooksApi } from './requests.mjs'
import { newSpellings, oldSpellings } from './spellings.mjs'
import { dryRun, submit } from './submissions.mjs'

const verification = `verificationId status message schemaVersion externalVerificationProvider externalVerificationId
  decision decisionedAt countryCode declineCodes sections { section verificationId status }
  checks { section name status } statusLog { previous next }`
const oneVerification = `query ($id: ID!) { kycVerification(verificationId: $id) { ${verification} } }`
const page = `query ($first: Int, $after: String) { kycVerifications(first: $first, after: $after) {
  nodes { ${verification} } pageInfo { hasNextPage endCursor } } }`

/** Submissions, good, bad and repeated, and what is read of them. */
export function submissionCommands({ random, appId, users, submissions, submissionOf, activeUser, fresh }) {
  /** A replay of a good submission in another spelling. */
  const respelled = ({ user, variables }) => {
    const isNewSpelling = random.chance(0.5)
    const spell = random.pick(isNewSpelling ? newSpellings : oldSpellings)
    return { ...graphql('secure', user.token, submit, spell(variables)), isNewSpelling }
  }
  /** Two pages of a user's verifications. */
  const pages = ({ token }) => {
    const cursor = fresh('cursor')
    const first = 1 + random.whole(3)
    return [
      { ...graphql('api', token, page, { first }), keep: { [cursor]: 'data.kycVerifications.pageInfo.endCursor' } },
      graphql('api', token, page, { first, after: `{{${cursor}}}` }),
    ]
  }

  const commands = {
    submission() {
      const user = activeUser()
      const id = fresh('attempt')
      const isPlain = random.chance(0.5)
      const variables = submissionOf(id, isPlain)
      submissions.push({ id, user, variables, isPlain })
      const keep = { [id]: 'data.postKycVerification.verificationId' }
      return { ...graphql('secure', user.token, submit, variables), keep }
    },
    replay() {
      if (submissions.length === 0) return commands.submission()
      const plain = submissions.filter(({ user, isPlain }) => isPlain && !user.retired)
      if (plain.length > 0 && random.chance(0.5)) return respelled(random.pick(plain))
      const { user, variables } = random.pick(submissions)
      const sender = user.retired || random.chance(0.2) ? activeUser() : user
      return graphql(
        'secure',
        sender.token,
        submit,
        random.chance(0.3) ? { ...variables, decision: 'FAILED' } : variables,
      )
    },
    dryRun() {
      const { token } = activeUser()
      if (submissions.length === 0 || random.chance(0.7))
        return graphql('secure', token, dryRun, submissionOf(fresh('attempt')))
      return graphql('secure', token, dryRun, random.pick(submissions).variables)
    },
    clearOnStandard: () => graphql('api', activeUser().token, submit, submissionOf(fresh('attempt'))),
    reading() {
      if (random.chance(0.3)) return pages(activeUser())
      if (submissions.length > 0 && random.chance(0.4)) {
        const { id, user } = random.pick(submissions)
        const reader = user.retired || random.chance(0.2) ? activeUser() : user
        return graphql('api', reader.token, oneVerification, { id: `{{${id}}}` })
      }
      const query = random.pick([
        '{ viewer { userId kycStatus } }',
        `{ kycVerifications(first: ${1 + random.whole(5)}) { nodes { verificationId status externalVerificationId decision
           countryCode declineCodes sections { section status } checks { section name status } } } }`,
        '{ kycVerifications { edges { cursor } } }',
        '{ nothing }',
      ])
      return graphql('api', activeUser().token, query)
    },
    badRequest() {
      const user = activeUser().token
      const good = graphql('secure', user, submit, submissionOf(fresh('attempt')))
      return random.pick([
        { ...good, token: undefined },
        { ...good, token: 'kyc_at_of_nobody' },
        { ...good, body: good.body.slice(0, -1) },
        { ...good, body: good.body.replace('{', '{"query":"{ viewer { userId } }",') },
        { ...good, headers: { 'content-type': 'text/plain' } },
        { ...good, headers: { ...good.headers, accept: 'text/html' } },
        { ...good, headers: { ...good.headers, 'content-encoding': 'gzip' } },
        { ...good, method: 'PUT' },
        { ...good, path: '/api/v1/%67raphql' },
        { ...good, path: '/api/v1/graphql?x=1' },
        { ...good, path: '/nothing' },
        { ...good, body: `[${good.body}]` },
        { ...webhooksApi('GET', '/deliveries'), token: 'kyc_live_of_nobody' },
        { ...webhooksApi('PATCH', '') },
        { ...internal('POST', '/events', {}), token: undefined },
        internal('POST', '/vault/reveal', {
          appId,
          userId: users[0].userId,
          token: 'tok_ssn_0123456789abcdefghijklmnop_1120',
          actor: 'auditor',
          purpose: 'comparison',
        }),
        graphql(
          'secure',
          user,
          `
            mutation {
              postKycVerification(schemaVersion: "1.0") {
                status
              }
            }
          `,
        ),
        graphql('secure', user, '{ viewer { userId } }'),
        graphql('secure', user, '{ __schema { types { name } } }'),
        graphql(
          'secure',
          user,
          `
            ${submit}
            query Other {
              viewer {
                userId
              }
            }
          `,
        ),
        graphql('api', user, '{ viewer {'),
        graphql('secure', user, submit, {}),
      ])
    },
  }
  return commands
}
