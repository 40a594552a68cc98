import { behaviourNames } from './receiver.mjs'
import { form, webhooksApi } from './requests.mjs'

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

/** Endpoints, their deliveries, the keys of the app, and the portal. */
export function webhookCommands({ name, random, appId, endpoints, eventTypes, fresh }) {
  const deliveryQueries = () => [
    'limit=3',
    'status=FAILED',
    'limit=0',
    'status=NONE',
    'cursor=x',
    `eventType=${random.pick(eventTypes)}`,
    ...endpoints.map((endpoint) => `endpointId={{${endpoint}}}&limit=2`),
  ]

  const commands = {
    registration() {
      if (endpoints.length >= mostEndpoints) return commands.removal()
      const endpoint = fresh('endpoint')
      endpoints.push(endpoint)
      const url = `{{receiver}}/${name}/${random.chance(0.5) ? 'good' : random.pick(behaviourNames)}/${endpoint}`
      const types = random.chance(0.6) ? {} : { eventTypes: eventTypes.filter(() => random.chance(0.6)) }
      const headers = random.chance(0.3) ? { standardWebhooks: true } : {}
      return { ...webhooksApi('POST', '', { url, ...types, ...headers }), keep: { [endpoint]: 'id' } }
    },
    badRegistration: () =>
      webhooksApi(
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
      if (endpoints.length === 0) return commands.registration()
      const [endpoint] = endpoints.splice(random.whole(endpoints.length), 1)
      // A removal cancels what is on its way: how far that was differs from run to run.
      return [{ settle: true }, webhooksApi('DELETE', `/{{${endpoint}}}`), webhooksApi('DELETE', `/{{${endpoint}}}`)]
    },
    endpoints: () =>
      webhooksApi('GET', endpoints.length > 0 && random.chance(0.5) ? `/{{${random.pick(endpoints)}}}` : ''),
    testEvent() {
      if (endpoints.length === 0) return commands.registration()
      const body = random.pick([
        undefined,
        { dryRun: true },
        { eventType: random.pick(eventTypes) },
        { eventType: 'X' },
      ])
      return webhooksApi('POST', `/{{${random.pick(endpoints)}}}/test`, body)
    },
    deliveries: () => [{ settle: true }, webhooksApi('GET', `/deliveries?${random.pick(deliveryQueries())}`)],
    resend: () => [{ settle: true }, { resend: random.whole(20) }],
    keys: () =>
      random.chance(0.5)
        ? [
            { settle: true },
            { ...webhooksApi('POST', '/keys/rotate'), keep: { nextApiKey: 'apiKey' } },
            { ...webhooksApi('POST', '/keys/activate'), rename: { nextApiKey: 'apiKey' } },
          ]
        : webhooksApi('GET', '/keys'),
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
        return [signIn, form('/portal/webhooks/new', '/portal/webhooks/new', { url }), webhooksApi('GET', '')]
      }
      const after = random.chance(0.3)
        ? [form('/portal', '/portal/sign-out', {}), { on: 'api', portal: '/portal' }]
        : []
      return [signIn, random.pick(doings), ...after]
    },
  }
  return commands
}
