import { createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@kyc-relay/webhooks'
import { Agent, request } from 'undici'
import { parseEnv } from './env.js'
import { readDemoFile, type DemoFile } from './start/demo-file.js'
import { createLog } from './operations/log.js'
import { startServer } from './server.js'

const sample = {
  ssn: '078-05-1120',
  documentNumber: 'X9Y8Z7W6',
  firstName: 'Jacquelinette',
  lastName: 'Examplewoman',
  dateOfBirth: '1990-01-31',
}

let step = 0
function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}
function expect(what: string, happened: boolean): void {
  step += 1
  tell(`${happened ? '  ok  ' : ' FAIL '} ${String(step).padStart(2)}  ${what}`)
  if (!happened) throw new Error('a step of the demo did not happen')
}

/** Starts a receiver as a partner would write it: it verifies the raw bytes and responds with the given statuses. */
async function startReceiver(demo: DemoFile, apiKey: string) {
  const received: { path: string; eventId: string; type: string; signature: string; body: string }[] = []
  const answers: Record<string, number[]> = {
    '/steady': [],
    '/recovering': [500, 500],
    '/broken': [500, 500, 500, 500, 500, 500],
  }
  const server = createServer(
    { cert: await readFile(demo.receiverCertFile, 'utf8'), key: await readFile(demo.receiverKeyFile, 'utf8') },
    (incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const body = Buffer.concat(chunks)
        const path = incoming.url ?? '/'
        verifyWebhook({ body, headers: incoming.headers, secrets: apiKey }).then(
          ({ eventId, type }) => {
            const signature = String(incoming.headers['x-hmac-signature'])
            received.push({ path, eventId, type, signature, body: body.toString('utf8') })
            response.writeHead(answers[path]?.shift() ?? 200).end()
          },
          () => response.writeHead(401).end(),
        )
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { received, url: (path: string) => `https://localhost:${port}${path}`, close: () => server.close() }
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kyc-relay-demo-'))
  const env = parseEnv({
    NODE_ENV: 'development',
    ROLE: 'all',
    PORT: '0',
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
    DATA_DIR: dataDir,
    ALLOW_LOOPBACK_RECEIVERS: '1',
    DELIVERY_RETRY_BASE_MS: '20',
    LOG_LEVEL: 'silent',
  })
  const server = await startServer(env, createLog(env))
  try {
    await story(dataDir)
  } finally {
    await server.stop('DEMO_ENDED')
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function story(dataDir: string): Promise<void> {
  const demo = await readDemoFile(dataDir)
  const app = demo?.apps[0]
  const user = demo?.users[0]
  if (demo === null || app === undefined || user === undefined) throw new Error('the demo was not seeded')
  const agent = new Agent({ connect: { ca: await readFile(demo.caFile, 'utf8') } })
  const call = async (
    url: string,
    token: string,
    body?: unknown,
    method: 'GET' | 'POST' = body === undefined ? 'GET' : 'POST',
  ) => {
    const answer = await request(url, {
      dispatcher: agent,
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    return { status: answer.statusCode, json: (await answer.body.json()) as Json }
  }

  tell('\nA partner submits a KYC result')
  const submission = submissionBody(randomUUID())
  const secure = `${demo.secureUrl}/api/v1/graphql`
  const standard = `${demo.apiUrl}/api/v1/graphql`
  const first = (await call(secure, user.accessToken, submission)).json.data?.postKycVerification
  expect(`postKycVerification over TLS answers ${String(first?.status)}`, first?.status === 'VERIFIED')
  const viewer = (await call(standard, user.accessToken, { query: '{ viewer { userId kycStatus } }' })).json.data
    ?.viewer
  expect(`the user now reads ${String(viewer?.kycStatus)}`, viewer?.kycStatus === 'PASS')
  const replay = await call(secure, user.accessToken, submission)
  expect(
    'the same request again gives the same three values',
    JSON.stringify(replay.json.data?.postKycVerification) === JSON.stringify(first),
  )
  const clear = await call(standard, user.accessToken, submission)
  expect(
    'a clear SSN on the standard host is refused with PII_NOT_TOKENIZED',
    clear.json.errors?.[0]?.extensions?.code === 'PII_NOT_TOKENIZED',
  )
  expect(
    'no SSN, document number, name or birth date is in any file of the server',
    !(await anyFileHolds(dataDir, Object.values(sample))),
  )

  tell('\nThe service tells the partner’s app what happens')
  const receiver = await startReceiver(demo, app.apiKey)
  try {
    const endpoints = `${demo.apiUrl}/api/v1/webhooks`
    for (const path of ['/steady', '/recovering', '/broken'])
      await call(endpoints, app.apiKey, { url: receiver.url(path) })
    const plain = await call(endpoints, app.apiKey, { url: 'http://partner.example.com/webhooks' })
    expect('a URL that is not HTTPS is refused at registration', plain.status === 400)
    const event = {
      appId: app.appId,
      userId: user.userId,
      eventType: 'WIDGET_DEPOSIT_COMPLETE',
      data: { amount: 100.5 },
    }
    const published = await call(`${demo.internalUrl}/internal/v1/events`, demo.internalToken, event)
    expect(
      'an event is published to three endpoints',
      published.status === 202 && published.json.deliveries?.length === 3,
    )
    const ended = await deliveriesEnded(() => call(`${endpoints}/deliveries`, app.apiKey))
    const of = (path: string) => ended.find((delivery) => delivery.url === receiver.url(path))
    const posts = (path: string) => receiver.received.filter((post) => post.path === path)
    const [post] = posts('/steady')
    const expected = createHmac('sha256', app.apiKey)
      .update(post?.body ?? '')
      .digest('hex')
    expect(
      'verifyWebhook accepts it, and X-HMAC-Signature is the HMAC-SHA-256 of the body',
      post?.signature === expected,
    )
    expect(
      `a receiver that answers 200 ends ${of('/steady')?.status} after 1 attempt`,
      of('/steady')?.status === 'DELIVERED' && posts('/steady').length === 1,
    )
    expect(
      `one that answers 500 twice ends ${of('/recovering')?.status} after 3 attempts`,
      of('/recovering')?.status === 'DELIVERED' && posts('/recovering').length === 3,
    )
    expect(
      `one that always fails ends ${of('/broken')?.status} after exactly 5`,
      of('/broken')?.status === 'FAILED' && posts('/broken').length === 5,
    )
    expect(
      'every attempt of a delivery carries the same X-Event-ID',
      new Set(posts('/broken').map((one) => one.eventId)).size === 1,
    )
  } finally {
    receiver.close()
    await agent.close()
  }
  tell('\nAll of it happened.\n')
}

interface Json {
  readonly data?: Record<string, Record<string, unknown> | undefined>
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
  readonly deliveries?: readonly unknown[]
  readonly items?: readonly { readonly url: string; readonly status: string }[]
}

function submissionBody(externalVerificationId: string) {
  const { ssn, documentNumber, ...names } = sample
  const variables = {
    version: '1.0',
    provider: 'CUSTOM',
    id: externalVerificationId,
    decision: 'PASSED',
    person: {
      ...names,
      ssn,
      ssnLast4: ssn.slice(-4),
      address: {
        streetLine1: '1 Example Street',
        city: 'Springfield',
        subdivision: 'IL',
        postalCode: '62701',
        countryCode: 'US',
      },
    },
    verifications: {
      ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' },
      document: {
        verificationId: 'doc-1',
        status: 'PASSED',
        documentClass: 'DRIVER_LICENSE',
        documentNumber,
        issuingCountryCode: 'US',
      },
    },
  }
  const query = `mutation ($version: String!, $provider: String!, $id: String!, $decision: String!, $person: JSON!, $verifications: JSON!) {
    postKycVerification(schemaVersion: $version, externalVerificationProvider: $provider, externalVerificationId: $id,
      decision: $decision, person: $person, verifications: $verifications) { status verificationId message } }`
  return { query, variables }
}

/** Polls the delivery log until no delivery is pending, with a limit. */
async function deliveriesEnded(list: () => Promise<{ json: Json }>): Promise<NonNullable<Json['items']>> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const items = (await list()).json.items ?? []
    if (items.length === 3 && items.every((item) => item.status !== 'PENDING')) return items
    if (Date.now() > deadline) throw new Error('the deliveries did not end in time')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function anyFileHolds(folder: string, values: readonly string[]): Promise<boolean> {
  const needles = [...values, sample.ssn.replaceAll('-', '')]
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = await readFile(join(entry.parentPath, entry.name))
    if (needles.some((needle) => bytes.includes(needle))) return true
  }
  return false
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'the demo failed'}\n`)
  process.exitCode = 1
})
