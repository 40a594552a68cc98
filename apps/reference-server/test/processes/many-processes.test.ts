import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@kyc-relay/webhooks'
import pg from 'pg'
import { Agent, request } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import {
  createMigratedDatabase,
  tableModes,
} from '../../../../packages/storage-drizzle/test/engine/postgres/distributed-database.js'
import { submissionDocument, submissionVariables } from '../running-server.js'
import { startServerProcess, type ServerProcess } from './server-process.js'

const submissions = 90
const events = 60
const maxInFlightPerEndpoint = 4

let database: pg.Client
let agent: Agent
let servers: ServerProcess[] = []

async function startThree(mode: (typeof tableModes)[number]): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-processes-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const { connectionString, stop } = await createMigratedDatabase(mode)
  onTestFinished(stop)
  servers = []
  const started = servers
  onTestFinished(async () => void (await Promise.all(started.map((server) => server.end('SIGKILL')))))
  // The first one alone makes keys, certificates and the demo; the others find them.
  for (let number = 0; number < 3; number += 1) {
    const settings = {
      DATABASE_URL: connectionString,
      DATABASE_DISTRIBUTED: mode.distributed ? '1' : '0',
      LOG_LEVEL: 'info',
    }
    servers.push(await startServerProcess(dataDir, settings))
  }
  database = new pg.Client({ connectionString })
  await database.connect()
  onTestFinished(() => database.end())
  agent = new Agent({ connect: { ca: readFileSync(serverAt(0).demo.caFile, 'utf8') } })
  onTestFinished(() => agent.close())
}

function serverAt(index: number): ServerProcess {
  const server = servers[index % servers.length]
  if (server === undefined) throw new Error('no server process')
  return server
}

async function post(
  url: string,
  token: string,
  body: unknown,
): Promise<{ status: number; json: Record<string, never> }> {
  const answer = await request(url, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  return { status: answer.statusCode, json: (await answer.body.json()) as Record<string, never> }
}

/** As a client does: what was not answered, or answered 5xx, is sent again as it is, to the next process. */
async function insist<T>(first: number, attempt: (server: ServerProcess) => Promise<T | null>): Promise<T> {
  for (let turn = 0; turn < 50; turn += 1) {
    const answer = await attempt(serverAt(first + turn)).catch(() => null)
    if (answer !== null) return answer
  }
  throw new Error('no process answered')
}

const rows = async (text: string): Promise<Record<string, unknown>[]> =>
  (await database.query<Record<string, unknown>>(text)).rows

it.each(tableModes)(
  'three processes on $mode lose and repeat nothing when one is killed under load',
  async (mode) => {
    await startThree(mode)
    const demo = serverAt(0).demo
    const [app] = demo.apps
    const users = demo.users.filter((user) => user.appId === app?.appId && user.scopes.includes('VERIFY_KYC'))
    const receiver = await startReceiver(demo.receiverCertFile, demo.receiverKeyFile, app?.apiKey ?? '')
    for (const path of ['/one', '/two']) {
      const registered = await post(`${demo.apiUrl}/api/v1/webhooks`, app?.apiKey ?? '', { url: receiver.url(path) })
      expect(registered.status).toBe(201)
    }

    const accepted = new Map<string, string>()
    const submit = (index: number) =>
      insist(index, async (server) => {
        const variables = submissionVariables({ externalVerificationId: `many-${index}` })
        const user = users[index % users.length]
        const { status, json } = await post(`${server.demo.secureUrl}/api/v1/graphql`, user?.accessToken ?? '', {
          query: submissionDocument,
          variables,
        })
        const answer = (json as { data?: { postKycVerification?: { verificationId: string } } }).data
          ?.postKycVerification
        return status === 200 && answer ? answer.verificationId : null
      }).then((verificationId) => accepted.set(`many-${index}`, verificationId))
    const publish = (index: number) =>
      insist(index, async (server) => {
        const event = {
          appId: app?.appId,
          userId: users[index % users.length]?.userId,
          eventType: 'WIDGET_DEPOSIT_COMPLETE',
          data: { amount: index + 1 },
          sourceEventId: `deposit-${index}`,
        }
        const { status } = await post(`${server.demo.internalUrl}/internal/v1/events`, server.demo.internalToken, event)
        return status === 202 ? true : null
      })

    const load = [
      ...Array.from({ length: submissions }, (_, index) => submit(index)),
      ...Array.from({ length: events }, (_, index) => publish(index)),
    ]
    await receiver.seen(5)
    const killed = await serverAt(1).end('SIGKILL')
    expect(killed.signal).toBe('SIGKILL')
    await Promise.all(load)

    const recorded = await rows(
      'select external_verification_id as id, verification_id as verification from kyc_relay_verifications',
    )
    expect(recorded.length).toBe(submissions)
    expect(new Map(recorded.map((row) => [row['id'], row['verification']]))).toEqual(accepted)
    expect(
      await rows(
        'select user_id from kyc_relay_verifications where previous_status <> next_status group by user_id having count(*) > 1',
      ),
    ).toEqual([])

    // Another process takes over what the killed one had in flight when the lease of 45 s ends: here, at once.
    await database.query(
      "update kyc_relay_delivery_queue set lease_until = now() - interval '1 second' where lease_until is not null",
    )
    await expect
      .poll(
        async () =>
          (await rows("select count(*)::int as left from kyc_relay_deliveries where state = 'PENDING'"))[0]?.['left'],
        {
          timeout: 60_000,
          interval: 100,
        },
      )
      .toBe(0)
    const deliveries = await rows('select state, attempts_made from kyc_relay_deliveries')
    expect(deliveries.length).toBe(events * 2)
    expect(deliveries.every((row) => row['state'] === 'DELIVERED' || row['state'] === 'FAILED')).toBe(true)
    expect(receiver.maxPosts()).toBeLessThanOrEqual(5)
    expect(receiver.maxInFlight()).toBeLessThanOrEqual(maxInFlightPerEndpoint)
    receiver.close()

    // What is left stops when asked, and loses nothing on the way.
    for (const index of [0, 2]) expect(await serverAt(index).end('SIGTERM')).toEqual({ code: 0, signal: null })
  },
  150_000,
)

/** Counts POSTs by `X-Event-ID` and how many are open at once by path; every third answer is a 500. */
async function startReceiver(certFile: string, keyFile: string, apiKey: string) {
  const posts = new Map<string, number>()
  const inFlight = new Map<string, number>()
  let mostInFlight = 0
  let total = 0
  let onPost: () => void = () => undefined
  const server: Server = createServer(
    { cert: readFileSync(certFile), key: readFileSync(keyFile) },
    (incoming, response) => {
      const path = incoming.url ?? '/'
      const open = (inFlight.get(path) ?? 0) + 1
      inFlight.set(path, open)
      mostInFlight = Math.max(mostInFlight, open)
      response.once('close', () => inFlight.set(path, (inFlight.get(path) ?? 1) - 1))
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        void verifyWebhook({ body: Buffer.concat(chunks), headers: incoming.headers, secrets: apiKey }).then(
          ({ eventId }) => {
            posts.set(eventId, (posts.get(eventId) ?? 0) + 1)
            total += 1
            onPost()
            response.writeHead(total % 3 === 0 ? 500 : 200).end()
          },
        )
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path: string) => `https://localhost:${port}${path}`,
    maxPosts: () => Math.max(...posts.values()),
    maxInFlight: () => mostInFlight,
    close: () => server.close(),
    seen: (count: number) =>
      new Promise<void>((resolve) => {
        onPost = () => void (total >= count && resolve())
        onPost()
      }),
  }
}
