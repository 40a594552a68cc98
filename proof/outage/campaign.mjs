import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { verifyWebhook } from '@kyc-relay/webhooks'
import { openFiles } from '../crash/databases.mjs'
import { inTemporaryFolder } from '../folders.mjs'
import { startServer } from '../server-process.mjs'

/** 50 events a second for three hours. */
const wholeOutage = 540_000
const publishers = 16
/** The longest time without a new acknowledgement until the campaign gives up. */
const timeoutMs = 60_000

const sabotages = {
  'no-recovery': { what: 'Nobody recovers what the endpoint missed', breaks: /never acknowledged/ },
  'new-lineage': {
    what: 'Registering the URL again begins a new lineage',
    breaks: /two X-Event-IDs/,
    damage: 'UPDATE kyc_relay_endpoints SET lineage_id = endpoint_id WHERE removed_at IS NULL',
  },
}

/** The partner's receiver: it is up or down, and books what it acknowledged by `X-Event-ID`. */
async function startPartner(demo, apiKey) {
  /** The event's number, and how often it was acknowledged, by `X-Event-ID`. */
  const booked = new Map()
  const partner = { isUp: true, refusals: 0, booked, changedAtMs: performance.now() }
  async function receive(request, response) {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (!partner.isUp) {
      partner.refusals += 1
      return response.writeHead(503).end()
    }
    const { eventId, event } = await verifyWebhook({ body, headers: request.headers, secrets: apiKey })
    const before = booked.get(eventId)
    booked.set(eventId, { number: event.amount, count: (before?.count ?? 0) + 1 })
    partner.changedAtMs = performance.now()
    return response.writeHead(200).end()
  }
  const server = createServer(
    { cert: readFileSync(demo.receiverCertFile), key: readFileSync(demo.receiverKeyFile) },
    (request, response) => void receive(request, response).catch(() => response.writeHead(401).end()),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  partner.url = `https://localhost:${server.address().port}/webhooks`
  partner.close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return partner
}

/** What the partner booked, against the numbers of the published events: a sentence for each broken promise. */
function judge(booked, published) {
  const violations = []
  const idsOf = new Map()
  for (const [id, { number, count }] of booked) {
    if (count !== 1) violations.push(`${id} was acknowledged ${count} times`)
    idsOf.set(number, [...(idsOf.get(number) ?? []), id])
  }
  for (let number = 1; number <= published; number += 1) {
    const ids = idsOf.get(number) ?? []
    if (ids.length === 0) violations.push(`event ${number} was never acknowledged`)
    if (ids.length > 1) violations.push(`event ${number} came with two X-Event-IDs`)
  }
  return violations
}

async function runOutage({ events, sabotage, dataDir, log }) {
  const server = startServer({ dataDir, variables: { RECOVERY_PAUSE_MS: '10' } })
  const demo = await server.started
  if (demo === null) throw new Error(`the server did not start: ${server.output()}`)
  const [app] = demo.apps
  const user = demo.users.find(({ appId }) => appId === app.appId)
  const partner = await startPartner(demo, app.apiKey)
  const agent = new Agent({ connections: publishers + 4 })
  async function call(origin, method, target, token, body) {
    for (;;) {
      const answer = await request(`${origin}${target}`, {
        dispatcher: agent,
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 500 && answer.statusCode !== 503)
        throw new Error(`${target} answered ${answer.statusCode}`)
      if (answer.statusCode !== 503) return { status: answer.statusCode, json: text === '' ? null : JSON.parse(text) }
      await sleep(100)
    }
  }
  const api = (method, target, body) => call(demo.apiUrl, method, `/api/v1/webhooks${target}`, app.apiKey, body)
  const register = async () => (await api('POST', '', { url: partner.url })).json.id

  let published = 0
  /** Publishes events until `count` are out, each with its number as the amount. */
  async function publishUpTo(count) {
    const publish = async () => {
      while (published < count) {
        const about = { appId: user.appId, userId: user.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE' }
        const event = { ...about, data: { amount: (published += 1) } }
        const { status } = await call(demo.internalUrl, 'POST', '/internal/v1/events', demo.internalToken, event)
        if (status !== 202) throw new Error(`an event got ${status}`)
      }
    }
    await Promise.all(Array.from({ length: publishers }, publish))
    log(`${published} events published, ${partner.booked.size} acknowledged, ${partner.refusals} attempts refused`)
  }
  /** Waits until the partner has booked `count` events, or nothing comes any more. */
  async function untilBooked(count) {
    partner.changedAtMs = performance.now()
    const waitMs = sabotage === undefined ? timeoutMs : 5_000
    while (partner.booked.size < count && performance.now() - partner.changedAtMs < waitMs) await sleep(50)
  }

  const since = new Date(Date.now() - 60_000).toISOString()
  const first = await register()
  await publishUpTo(Math.ceil(events * 0.05))
  await untilBooked(published)
  partner.isUp = false
  await publishUpTo(Math.ceil(events * 0.6))
  await api('DELETE', `/${first}`)
  await publishUpTo(Math.ceil(events * 0.8))
  const second = await register()
  if (sabotage?.damage !== undefined) openFiles(dataDir).run([sabotage.damage])
  await publishUpTo(Math.ceil(events * 0.95))
  partner.isUp = true
  if (sabotage !== sabotages['no-recovery']) await api('POST', `/${second}/recover`, { since })
  await publishUpTo(events)
  await untilBooked(events)

  const { code } = await server.end('SIGTERM')
  await Promise.all([agent.close(), partner.close()])
  const violations = judge(partner.booked, published)
  if (code !== 0) violations.push(`the server left with ${code} when asked to stop`)
  return { violations, refusals: partner.refusals, acknowledged: partner.booked.size }
}

export const outage = {
  unit: 'events',
  seconds: 0,
  promises: [
    'After an outage, with its endpoint removed and registered again meanwhile, a recovery brings each event of the outage. The partner acknowledges each exactly once by `X-Event-ID`.',
  ],
  notTested:
    'Time runs faster than in a real outage: the first retry comes after 5 ms, and steps of the recovery have pauses of 10 ms. The server is not killed meanwhile, which the campaign `crash` tests.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 200 },
  smoke: { size: { count: 100 } },
  /** Runs outages of `wholeOutage` events, the last one shorter, until the budget is spent. */
  async run({ budget, control, log }) {
    const sizes = { events: 0, outages: 0, 'attempts refused': 0, acknowledged: 0 }
    const violations = []
    do {
      const events = Math.min(wholeOutage, budget.left(sizes.events) ?? wholeOutage)
      const sabotage = sabotages[control]
      const run = await inTemporaryFolder((folder) =>
        runOutage({ events, sabotage, dataDir: path.join(folder, 'data'), log }),
      )
      violations.push(...run.violations)
      sizes.events += events
      sizes.outages += 1
      sizes['attempts refused'] += run.refusals
      sizes.acknowledged += run.acknowledged
    } while (violations.length === 0 && !budget.isSpent(sizes.events))
    return { sizes, violations }
  },
}
