import { readFileSync } from 'node:fs'
import path from 'node:path'
import { behaviourNames } from './receiver.mjs'
import { newSpellings, oldSpellings } from './spellings.mjs'
import { caseArguments, dryRun, plainSubmission, submit } from './submissions.mjs'

// The commands of one lane: an app with users of its own, so that lanes may run beside each other and each stays in order.
// A command names what it needs of earlier answers as {{name}}: the two servers give different ids and keys.

const filledIn = ['userId', 'accountId', 'externalReferenceId', 'appId', 'connectedAppId', 'connectedAppName']

const scopes = ['VERIFY_KYC', 'MAKE_PAYOUT_SEND', 'MAKE_PAYOUT_RECEIVE', 'LIST_PAYMENT', 'LIST_PURCHASES']
const widgetTypes = ['WIDGET_KYC_INITIATION', 'WIDGET_DEPOSIT_COMPLETE', 'WIDGET_WITHDRAW_COMPLETE']
const mostEndpoints = 6
const badUrls = [
  'http://partner.example/webhooks',
  'https://127.0.0.1/webhooks',
  'https://localhost.example:22/webhooks',
  'https://user:secret@partner.example/webhooks',
  'https://partner.example/webhooks#part',
  'https://[::1]/webhooks',
  'https://2130706433/webhooks',
  'partner.example/webhooks',
  'https://metadata/webhooks',
  '',
]
const badEventData = [{ amount: 'a lot' }, { amount: null }, {}, { userId: 'somebody' }, { unknownField: 1 }]

const verification = `verificationId status message schemaVersion externalVerificationProvider externalVerificationId
  decision decisionedAt countryCode declineCodes sections { section verificationId status }
  checks { section name status } statusLog { previous next }`
const oneVerification = `query ($id: ID!) { kycVerification(verificationId: $id) { ${verification} } }`
const page = `query ($first: Int, $after: String) { kycVerifications(first: $first, after: $after) {
  nodes { ${verification} } pageInfo { hasNextPage endCursor } } }`

const weights = {
  submission: 30,
  replay: 8,
  dryRun: 3,
  clearOnStandard: 2,
  reading: 7,
  newUser: 6,
  narrowedGrant: 1,
  revokedGrant: 1,
  erasure: 1,
  registration: 3,
  badRegistration: 2,
  removal: 1,
  endpoints: 1,
  testEvent: 1,
  event: 14,
  badEvent: 2,
  transaction: 9,
  deliveries: 2,
  resend: 2,
  keys: 1,
  portal: 3,
  badRequest: 5,
}

const json = (body) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** Examples of the event types that a version knows. */
export function eventExamplesOf(checkout) {
  const file = path.join(checkout, 'packages/webhooks/schema/webhook-event-examples.json')
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * An endless source of commands for the lane of this name. The first ones make its app. `rows` of the case table are
 * submitted. `examples` are of the event types that both versions know.
 */
export function createLane({ name, random, rows, examples }) {
  const eventTypes = Object.keys(examples)
  const dataOf = (type) =>
    Object.fromEntries(Object.entries(examples[type]).filter(([name]) => ![...filledIn, 'eventType'].includes(name)))
  /** A plain submission, or a row of the case table, good or bad. */
  const submissionOf = (id, isPlain = random.chance(0.5)) =>
    isPlain ? plainSubmission(random, id) : caseArguments(random.pick(rows), id)
  const appId = random.uuid()
  const users = []
  const endpoints = []
  const submissions = []
  const transactions = []
  const sourced = []
  /** Moves of transactions with a `sourceEventId`, to repeat. */
  const moves = []
  let made = 0
  const fresh = (what) => `${what}-${name}-${(made += 1)}`

  const graphql = (on, user, query, variables) => ({
    on,
    method: 'POST',
    path: '/api/v1/graphql',
    token: `{{${user}}}`,
    ...json({ query, variables }),
  })
  const internal = (method, path, body) => ({
    on: 'internal',
    method,
    path: `/internal/v1${path}`,
    token: '{{internalToken}}',
    ...(body === undefined ? {} : json(body)),
  })
  const rest = (method, path, body) => ({
    on: 'api',
    method,
    path: `/api/v1/webhooks${path}`,
    token: '{{apiKey}}',
    ...(body === undefined ? {} : json(body)),
  })
  const form = (page, action, fields) => ({ on: 'api', form: { page, action, fields } })
  /** An event with a known `sourceEventId`, as it was or with another type. */
  const eventAgain = (event) => {
    if (random.chance(0.5)) return internal('POST', '/events', event)
    const otherType = event.eventType === 'WIDGET_KYC_INITIATION' ? 'WIDGET_DEPOSIT_COMPLETE' : 'WIDGET_KYC_INITIATION'
    const data = otherType === 'WIDGET_KYC_INITIATION' ? {} : { amount: 1 }
    return { ...internal('POST', '/events', { ...event, eventType: otherType, data }), hasOtherContent: true }
  }
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
  const deliveryQueries = () => [
    'limit=3',
    'status=FAILED',
    'limit=0',
    'status=NONE',
    'cursor=x',
    `eventType=${random.pick(eventTypes)}`,
    ...endpoints.map((endpoint) => `endpointId={{${endpoint}}}&limit=2`),
  ]
  const activeUser = () => random.pick(users.filter(({ retired }) => !retired))

  const makers = {
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
      if (submissions.length === 0) return makers.submission()
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
    newUser() {
      const token = fresh('token')
      const userId = random.uuid()
      const some = scopes.filter(() => random.chance(0.5))
      const granted = random.chance(0.8) ? scopes : [...new Set(['VERIFY_KYC', ...some])]
      users.push({ token, userId, retired: false, hasAll: granted.length === scopes.length })
      const account = { accountId: random.uuid(), externalReferenceId: `customer-${userId.slice(0, 8)}` }
      return [
        internal('PUT', `/grants/${appId}/${userId}`, { ...account, scopes: granted }),
        { ...internal('POST', '/access-tokens', { appId, userId, scopes: granted }), keep: { [token]: 'accessToken' } },
      ]
    },
    narrowedGrant() {
      const user = activeUser()
      if (user === users[0]) return makers.reading()
      user.retired = true
      const account = { accountId: random.uuid(), externalReferenceId: fresh('customer') }
      // What is on its way would be cancelled sooner on the one server than on the other.
      return [
        { settle: true },
        internal('PUT', `/grants/${appId}/${user.userId}`, { ...account, scopes: ['LIST_PAYMENT'] }),
        graphql('secure', user.token, submit, submissionOf(fresh('attempt'))),
      ]
    },
    revokedGrant() {
      const user = activeUser()
      if (user === users[0]) return makers.reading()
      user.retired = true
      return [
        { settle: true },
        internal('DELETE', `/grants/${appId}/${user.userId}`),
        graphql('secure', user.token, submit, submissionOf(fresh('attempt'))),
      ]
    },
    erasure() {
      const user = activeUser()
      if (user === users[0]) return makers.reading()
      user.retired = true
      return [{ settle: true }, internal('DELETE', `/users/${user.userId}/pii`, { purpose: 'request of the user' })]
    },
    registration() {
      if (endpoints.length >= mostEndpoints) return makers.removal()
      const endpoint = fresh('endpoint')
      endpoints.push(endpoint)
      const url = `{{receiver}}/${name}/${random.chance(0.5) ? 'good' : random.pick(behaviourNames)}/${endpoint}`
      const types = random.chance(0.6) ? {} : { eventTypes: eventTypes.filter(() => random.chance(0.6)) }
      const headers = random.chance(0.3) ? { standardWebhooks: true } : {}
      return { ...rest('POST', '', { url, ...types, ...headers }), keep: { [endpoint]: 'id' } }
    },
    badRegistration: () =>
      rest(
        'POST',
        '',
        random.pick([
          { url: random.pick(badUrls) },
          { url: 'https://partner.example/webhooks', eventTypes: ['NO_SUCH_TYPE'] },
          { url: 'https://partner.example/webhooks', eventTypes: 'ALL' },
          { url: 7 },
          {},
        ]),
      ),
    removal() {
      if (endpoints.length === 0) return makers.registration()
      const [endpoint] = endpoints.splice(random.whole(endpoints.length), 1)
      // A removal cancels what is on its way: how far that was differs from run to run.
      return [{ settle: true }, rest('DELETE', `/{{${endpoint}}}`), rest('DELETE', `/{{${endpoint}}}`)]
    },
    endpoints: () => rest('GET', endpoints.length > 0 && random.chance(0.5) ? `/{{${random.pick(endpoints)}}}` : ''),
    testEvent() {
      if (endpoints.length === 0) return makers.registration()
      const body = random.pick([
        undefined,
        { dryRun: true },
        { eventType: random.pick(eventTypes) },
        { eventType: 'X' },
      ])
      return rest('POST', `/{{${random.pick(endpoints)}}}/test`, body)
    },
    event() {
      const type = random.pick(widgetTypes)
      if (random.chance(0.2) && sourced.length > 0) return eventAgain(random.pick(sourced))
      const user = random.pick(users)
      const data = type === 'WIDGET_KYC_INITIATION' ? {} : { amount: (1 + random.whole(100_000)) / 100 }
      const event = { appId, userId: user.userId, eventType: type, data }
      if (random.chance(0.7)) return internal('POST', '/events', event)
      const withSource = { ...event, sourceEventId: fresh('source') }
      // An event that was withheld is judged anew when it is repeated: see the list of intended differences.
      if (user.hasAll && !user.retired) sourced.push(withSource)
      return internal('POST', '/events', withSource)
    },
    badEvent: () =>
      internal(
        'POST',
        '/events',
        random.pick([
          { appId, userId: users[0].userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: random.pick(badEventData) },
          { appId, userId: users[0].userId, eventType: 'NO_SUCH_TYPE', data: {} },
          { appId, userId: random.uuid(), eventType: 'WIDGET_KYC_INITIATION', data: {} },
          { appId: random.uuid(), userId: users[0].userId, eventType: 'WIDGET_KYC_INITIATION', data: {} },
          { appId, userId: 'nobody', eventType: 'WIDGET_KYC_INITIATION' },
          ...['', 7, 'a'.repeat(300)].map((sourceEventId) => ({
            appId,
            userId: users[0].userId,
            eventType: 'WIDGET_KYC_INITIATION',
            data: {},
            sourceEventId,
          })),
        ]),
      ),
    transaction() {
      if (moves.length > 0 && random.chance(0.15)) return random.pick(moves)
      const user = random.pick(users)
      const known = random.chance(0.6) && transactions.length > 0 ? random.pick(transactions) : null
      if (known !== null && random.chance(0.7)) {
        const status = random.pick(['PENDING', 'SETTLED', 'SETTLED', 'DECLINED', undefined])
        return internal('PATCH', `/transactions/${known.transactionId}`, {
          ...(status === undefined ? {} : { status }),
          data: { note: `note ${random.whole(100)}`, updatedAt: '2026-03-02T15:05:00.000Z' },
        })
      }
      const transactionId = known?.transactionId ?? random.uuid()
      if (random.chance(0.3)) {
        const data = { ...dataOf('TRANSACTION_DECLINE'), transactionId }
        return internal('POST', '/transactions/decline', { appId, userId: user.userId, transactionId, data })
      }
      transactions.push({ transactionId })
      const data = { ...dataOf('TRANSACTION_CREATE'), transactionId }
      const creation = { appId, userId: user.userId, transactionId, data }
      if (!user.hasAll || user.retired || random.chance(0.5)) return internal('POST', '/transactions', creation)
      const move = internal('POST', '/transactions', { ...creation, sourceEventId: fresh('source') })
      moves.push(move)
      return move
    },
    deliveries: () => [{ settle: true }, rest('GET', `/deliveries?${random.pick(deliveryQueries())}`)],
    resend: () => [{ settle: true }, { resend: random.whole(20) }],
    keys: () =>
      random.chance(0.5)
        ? [
            { settle: true },
            { ...rest('POST', '/keys/rotate'), keep: { nextApiKey: 'apiKey' } },
            { ...rest('POST', '/keys/activate'), rename: { nextApiKey: 'apiKey' } },
          ]
        : rest('GET', '/keys'),
    portal() {
      const endpoint = fresh('endpoint')
      const url = `{{receiver}}/${name}/good/${endpoint}`
      const signIn = form('/portal/sign-in', '/portal/sign-in', { app: appId, apiKey: '{{apiKey}}' })
      const pages = ['/portal/webhooks', '/portal/deliveries', '/portal/keys', '/portal/nothing']
      const doings = [
        { on: 'api', portal: random.pick(pages) },
        form('/portal/webhooks/new', '/portal/webhooks/new', { url: random.pick(badUrls) }),
        form('/portal/webhooks/new', '/portal/keys/activate', { confirm: 'yes' }),
      ]
      if (endpoints.length < mostEndpoints && random.chance(0.3)) {
        return [signIn, form('/portal/webhooks/new', '/portal/webhooks/new', { url }), rest('GET', '')]
      }
      const after = random.chance(0.3)
        ? [form('/portal', '/portal/sign-out', {}), { on: 'api', portal: '/portal' }]
        : []
      return [signIn, random.pick(doings), ...after]
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
        { ...rest('GET', '/deliveries'), token: 'kyc_live_of_nobody' },
        { ...rest('PATCH', '') },
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

  const begin = [
    { kind: 'newUser', ...internal('POST', '/apps', { appId, name: `App of ${name}` }), keep: { apiKey: 'apiKey' } },
    ...makers.newUser().map((command) => ({ kind: 'newUser', ...command })),
    { kind: 'registration', ...makers.registration() },
  ]
  return {
    name,
    /** The next command, with those that belong to it. */
    next() {
      if (begin.length > 0) return begin.splice(0)
      const kind = random.weighted(weights)
      return [makers[kind]()].flat().map((command) => ({ kind, ...command }))
    },
  }
}
