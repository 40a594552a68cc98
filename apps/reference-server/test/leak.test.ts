import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createIngestion } from '@kyc-relay/kyc-core'
import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createSqliteStorage, createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import { eventExample } from '@kyc-relay/webhooks/events'
import { trace } from '@opentelemetry/api'
import Database from 'better-sqlite3'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canary, canarySubmission, document, person, search, verifications, withPerson } from './leak-canaries.js'
import { encodings, type Leak } from './leak-search.js'
import { startReceiver, type LocalReceiver } from './local-receiver.js'
import { openRaw } from './http/raw-connection.js'
import { startTestServer, submissionDocument, type RunningTestServer } from './running-server.js'
import { recordSpans, type RecordedSpans } from './operations/tracing/recorded-spans.js'

let temporary: string
let formerTemporary: string | undefined
let server: RunningTestServer
let receiver: LocalReceiver
let spans: RecordedSpans
const printed: string[] = []
const restore: (() => void)[] = []

beforeAll(async () => {
  // Whatever anybody calls temporary, SQLite included, comes to lie in a folder that is searched.
  temporary = mkdtempSync(join(tmpdir(), 'kyc-relay-leak-'))
  formerTemporary = process.env.TMPDIR
  process.env.TMPDIR = temporary
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream)
    stream.write = (chunk: string | Uint8Array, ...rest: []) => {
      printed.push(Buffer.from(chunk as string).toString('utf8'))
      return write(chunk, ...rest)
    }
    restore.push(() => (stream.write = write))
  }
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    const former = console[method]

    console[method] = (...parts: unknown[]) => void printed.push(inspect(parts, { depth: Infinity }))

    restore.push(() => (console[method] = former))
  }
  const warned = (warning: Error) => void printed.push(inspect(warning, { depth: Infinity }))
  process.on('warning', warned)
  restore.push(() => process.off('warning', warned))
  spans = recordSpans()
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
})

let stopped = false
const stop = async () => {
  if (stopped) return
  stopped = true
  await receiver.close()
  await server.stop()
}
afterAll(async () => {
  await stop()
  for (const undo of restore) undo()
  if (formerTemporary === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = formerTemporary
  rmSync(temporary, { recursive: true, force: true })
})

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}

/** Every file that the server or anybody below it may have written, databases and write-ahead logs included. */
function leaksInFiles(): Leak[] {
  return readdirSync(temporary, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(temporary, name)
    return statSync(path).isFile() ? search.find(name, readFileSync(path)) : []
  })
}
const leaksInOutput = () => [
  ...server.logLines.flatMap((line) => search.find('log', line)),
  ...printed.flatMap((text) => search.find('output', text)),
  ...spans.texts().flatMap((text) => search.find('span', text)),
]

/** Bytes as a client would send them, and the answer with its headers as it came over the wire. */
async function exchange(
  host: 'secure' | 'api' | 'internal',
  request: {
    readonly body?: string | Buffer
    readonly target?: string
    readonly method?: string
    readonly headers?: Record<string, string>
    readonly token?: string | null
    readonly cutOff?: boolean
  },
): Promise<{ status: number; wire: string }> {
  const url = { secure: server.demo.secureUrl, api: server.demo.apiUrl, internal: server.demo.internalUrl }[host]
  const connection = await openRaw({ port: Number(new URL(url).port), ...(host === 'secure' ? { ca: server.ca } : {}) })
  const wire: Buffer[] = []
  connection.socket.on('data', (chunk: Buffer) => wire.push(chunk))
  const body = Buffer.from(request.body ?? '')
  const token = request.token === undefined ? user(0).accessToken : request.token
  const headers: Record<string, string> = {
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': String(body.length + (request.cutOff === true ? 10 : 0)),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...request.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const { method = 'POST', target = '/api/v1/graphql' } = request
  connection.send(Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), body]))
  if (request.cutOff === true) connection.socket.end()
  const { status } = await connection.answer()
  connection.socket.destroy()
  return { status, wire: Buffer.concat(wire).toString('latin1') }
}

const json = (value: unknown) => JSON.stringify(value)
const submission = (sent: Record<string, unknown> = canarySubmission()) =>
  json({ query: submissionDocument, variables: sent })
const dryRunDocument = submissionDocument
  .replace('postKycVerification', 'validateKycVerification')
  .replace(
    'status verificationId message',
    'valid violations { pointer code message } warnings { pointer code message }',
  )
const inlined = `mutation { postKycVerification(schemaVersion: "1.0", externalVerificationProvider: "CUSTOM", externalVerificationId: "x", decision: "PASSED", person: {ssn: "${canary.ssn}", lastName: "${canary.lastName}"}, verifications: {}) { status } }`

/** What is expected of a scenario: the HTTP status, and a text in the answer that shows that it happened as meant. */
type Scenario = readonly [
  name: string,
  status: number,
  shows: string,
  run: () => Promise<{ status: number; wire: string }>,
]
const secure = (body: string | Buffer, more: Omit<Parameters<typeof exchange>[1], 'body'> = {}) =>
  exchange('secure', { body, ...more })

const broken = (name: 'kyc.db' | 'vault.db', table: string) => async () => {
  const change = (statements: string) => {
    const database = new Database(`${server.dataDir}/${name}`)
    database.exec(statements)
    database.close()
  }
  change(`create trigger kyc_relay_fails before insert on ${table} begin select raise(abort, 'broken'); end`)
  const answer = await secure(submission())
  change('drop trigger kyc_relay_fails')
  return answer
}
const repeated = canarySubmission()

const scenarios: readonly Scenario[] = [
  ['an accepted submission', 200, 'VERIFIED', () => secure(submission(repeated))],
  ['a replay', 200, '"payloadMatches":true', () => secure(submission(repeated))],
  [
    'a replay with another payload',
    200,
    '"payloadMatches":false',
    () => secure(submission({ ...repeated, decisionReason: `${canary.decisionReason}!` })),
  ],
  [
    'an accepted one with personal data where a trace context belongs',
    200,
    'VERIFIED',
    () =>
      secure(submission(), {
        headers: {
          traceparent: `00-${canary.ssn}-${canary.lastName.slice(1)}-01`,
          tracestate: `vendor=${canary.email}`,
          baggage: `ssn=${canary.ssn},city=${canary.city}`,
        },
      }),
  ],
  [
    'a conflict',
    200,
    'EXTERNAL_VERIFICATION_ID_CONFLICT',
    () => secure(submission(repeated), { token: user(1).accessToken }),
  ],
  ['a declined submission', 200, 'DECLINED', () => secure(submission(canarySubmission({ decision: 'FAILED' })))],
  [
    'an accepted one with warnings',
    200,
    'warnings',
    () => secure(submission(canarySubmission({ decisionedAt: '2020-01-01T00:00:00' }))),
  ],
  [
    'a mismatch of the last four',
    200,
    'SSN_LAST4_MISMATCH',
    () => secure(submission(withPerson({ ssnLast4: '4398' }))),
  ],
  [
    'a masked SSN beside the rest',
    200,
    'SSN_MASKED_OR_PARTIAL',
    () => secure(submission(withPerson({ ssn: '***-**-4399' }))),
  ],
  ['an SSN with spaces', 200, 'SSN_INVALID', () => secure(submission(withPerson({ ssn: '536 90 4399' })))],
  ['an SSN as a number', 200, 'TYPE', () => secure(submission(withPerson({ ssn: 536904399 })))],
  [
    'values in the wrong fields',
    200,
    'VALIDATION_FAILED',
    () =>
      secure(
        submission(
          canarySubmission({
            schemaVersion: canary.ssn,
            externalVerificationProvider: canary.lastName,
            decision: canary.decisionReason,
            decisionedAt: canary.dateOfBirth,
          }),
        ),
      ),
  ],
  [
    'values that break every rule',
    200,
    'VALIDATION_FAILED',
    () =>
      secure(
        submission(
          withPerson({
            firstName: `${canary.firstName}\u202e`,
            lastName: canary.lastName.repeat(20),
            dateOfBirth: '11/23/1971',
            phoneNumber: `${canary.phone} x`,
            emailAddress: `${canary.email}@`,
            address: {
              ...person.address,
              streetLine1: `PO Box 7 ${canary.street}`,
              subdivision: canary.city,
              postalCode: canary.ssn,
              countryCode: canary.city,
            },
          }),
        ),
      ),
  ],
  [
    'unknown fields',
    200,
    'UNKNOWN_FIELD',
    () =>
      secure(
        submission(
          withPerson({
            SSN: canary.ssn,
            [canary.ssn]: 1,
            [canary.email]: { [canary.phone]: canary.lastName },
          }),
        ),
      ),
  ],
  [
    'the SSN in free-form text',
    200,
    'CLEAR_PII_IN_FREE_FORM',
    () => secure(submission(canarySubmission({ decisionReason: `SSN ${canary.ssn} did not match` }))),
  ],
  [
    'the SSN as a key of free-form data',
    200,
    'CLEAR_PII_IN_FREE_FORM',
    () => secure(submission(canarySubmission({ externalProviderData: { [canary.ssn]: { '536904399': true } } }))),
  ],
  [
    'the SSN as an id',
    200,
    'CLEAR_PII_IN_FREE_FORM',
    () => secure(submission(canarySubmission({ externalVerificationId: canary.ssn }))),
  ],
  [
    'the document number as a check name',
    200,
    'VALIDATION_FAILED',
    () =>
      secure(
        submission(
          canarySubmission({
            verifications: {
              ...verifications,
              document: { ...document, checks: [{ name: canary.documentNumber, status: canary.lastName }] },
            },
          }),
        ),
      ),
  ],
  [
    'a photo URL that is none',
    200,
    'PHOTO_URL_INVALID',
    () =>
      secure(
        submission(
          canarySubmission({
            verifications: {
              ...verifications,
              document: { ...document, photos: { front: canary.photo.replace('https', 'http') } },
            },
          }),
        ),
      ),
  ],
  ['a person as a string of JSON', 200, 'TYPE', () => secure(submission(canarySubmission({ person: json(person) })))],
  ['a dry run', 200, '"valid":true', () => secure(json({ query: dryRunDocument, variables: canarySubmission() }))],
  [
    'a dry run that finds something',
    200,
    'SSN_LAST4_MISMATCH',
    () => secure(json({ query: dryRunDocument, variables: withPerson({ ssnLast4: '4398' }) })),
  ],

  ['an inlined person', 200, 'ARGUMENTS_MUST_BE_VARIABLES', () => secure(json({ query: inlined }))],
  [
    'an inlined person on the standard API',
    200,
    'PII_NOT_TOKENIZED',
    () => exchange('api', { body: json({ query: inlined }) }),
  ],
  [
    'a default value',
    200,
    'ARGUMENTS_MUST_BE_VARIABLES',
    () =>
      secure(
        json({
          query: submissionDocument.replace('$person: JSON!', `$person: JSON = {ssn: "${canary.ssn}"}`),
          variables: { ...canarySubmission(), person: undefined },
        }),
      ),
  ],
  [
    'an undeclared variable',
    200,
    'UNDECLARED_VARIABLE',
    () => secure(submission({ ...canarySubmission(), [canary.lastName]: canary.ssn })),
  ],
  ['a syntax error', 200, 'GRAPHQL_PARSE_FAILED', () => secure(json({ query: inlined.slice(0, -40) }))],
  [
    'a syntax error around a name',
    200,
    'GRAPHQL_PARSE_FAILED',
    () => secure(json({ query: `mutation { ${canary.lastName} ${canary.ssn} }` })),
  ],
  [
    'an unknown field of that name',
    200,
    'GRAPHQL_VALIDATION_FAILED',
    () => secure(json({ query: `{ ${canary.lastName}(ssn: "${canary.ssn}") }` })),
  ],
  [
    'an unknown argument',
    200,
    'GRAPHQL_VALIDATION_FAILED',
    () => exchange('api', { body: json({ query: `{ viewer(ssn: "${canary.ssn}") { userId } }` }) }),
  ],
  [
    'a literal of the wrong type',
    200,
    'GRAPHQL_VALIDATION_FAILED',
    () =>
      exchange('api', { body: json({ query: `{ kycVerifications(first: "${canary.ssn}") { nodes { status } } }` }) }),
  ],
  [
    'an operation of that name',
    400,
    'UNKNOWN_OPERATION',
    () => secure(json({ query: submissionDocument, operationName: canary.lastName, variables: canarySubmission() })),
  ],
  [
    'a variable that cannot be coerced',
    200,
    'GRAPHQL_VALIDATION_FAILED',
    () =>
      exchange('api', {
        body: json({
          query: 'query ($id: ID!) { kycVerification(verificationId: $id) { status } }',
          variables: { id: person },
        }),
      }),
  ],
  [
    'a number that cannot be coerced',
    200,
    'GRAPHQL_VALIDATION_FAILED',
    () =>
      exchange('api', {
        body: json({
          query: 'query ($n: Int) { kycVerifications(first: $n) { nodes { status } } }',
          variables: { n: canary.ssn },
        }),
      }),
  ],
  [
    'a cursor that is none',
    200,
    'errors',
    () =>
      exchange('api', {
        body: json({
          query: 'query ($c: String) { kycVerifications(after: $c) { nodes { status } } }',
          variables: { c: canary.ssn },
        }),
      }),
  ],
  ['a variable of another member', 400, 'UNKNOWN_MEMBER', () => secure(json({ query: '{__typename}', person }))],
  ['a clear person on the standard API', 200, 'PII_NOT_TOKENIZED', () => exchange('api', { body: submission() })],
  [
    'a clear dry run on the standard API',
    200,
    'PII_NOT_TOKENIZED',
    () => exchange('api', { body: json({ query: dryRunDocument, variables: canarySubmission() }) }),
  ],
  [
    'reading back',
    200,
    'DECLINED',
    () =>
      exchange('api', {
        body: json({
          query:
            '{ kycVerifications { nodes { externalVerificationId status message decision countryCode sections { section verificationId status } checks { name status } declineCodes statusLog { previous next at } } } }',
        }),
      }),
  ],

  ['no token', 401, 'UNAUTHENTICATED', () => secure(submission(), { token: null })],
  ['a token made of it', 401, 'UNAUTHENTICATED', () => secure(submission(), { token: canary.ssn })],
  [
    'a token without the scope',
    403,
    'FORBIDDEN',
    () =>
      secure(submission(), {
        token: server.demo.users.find((one) => !one.scopes.includes('VERIFY_KYC'))?.accessToken ?? null,
      }),
  ],
  [
    'a host of that name',
    421,
    'HOST_NOT_SERVED',
    () => secure(submission(), { headers: { host: `${canary.ssn}.example` } }),
  ],
  ['a host that is none', 400, 'HOST_INVALID', () => secure(submission(), { headers: { host: canary.email } })],
  ['a query string', 400, 'QUERY_STRING', () => secure(submission(), { target: `/api/v1/graphql?ssn=${canary.ssn}` })],
  ['another address', 404, 'NOT_FOUND', () => secure(submission(), { target: `/api/v1/${canary.ssn}` })],
  [
    'another address of the standard API',
    404,
    'NOT_FOUND',
    () => exchange('api', { body: submission(), target: `/api/v1/${canary.ssn}` }),
  ],
  [
    'GET',
    405,
    'METHOD_NOT_ALLOWED',
    () =>
      secure('', {
        method: 'GET',
        target: `/api/v1/graphql?query=${encodeURIComponent(inlined)}`,
        headers: { 'content-length': '0' },
      }),
  ],
  [
    'a content type made of it',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    () => secure(submission(), { headers: { 'content-type': canary.ssn } }),
  ],
  [
    'headers made of it',
    406,
    'NOT_ACCEPTABLE',
    () =>
      secure(submission(), {
        headers: {
          accept: `text/${canary.lastName}`,
          'user-agent': canary.ssn,
          'x-request-id': canary.ssn,
          'x-forwarded-for': canary.email,
          cookie: `ssn=${canary.ssn}`,
        },
      }),
  ],
  [
    'a header line that is none',
    400,
    'HTTP_SYNTAX',
    () => secure(submission(), { headers: { [`${canary.ssn} `]: canary.ssn } }),
  ],
  ['a body that is cut off', 400, 'BODY_CUT_OFF', () => secure(submission(), { cutOff: true })],
  ['a body over the limit', 413, 'PAYLOAD_TOO_LARGE', () => secure(submission() + ' '.repeat(600_000))],
  [
    'a value over the limit',
    400,
    'STRING_TOO_LONG',
    () => secure(submission(canarySubmission({ decisionReason: canary.decisionReason.repeat(3_000) }))),
  ],
  [
    'bad JSON in the middle of a value',
    400,
    'INVALID_JSON',
    () => secure(submission().replace(canary.lastName, `${canary.lastName}"`)),
  ],
  // Node's message quotes ten characters on each side of what is wrong.
  [
    'bad JSON beside a value',
    400,
    'INVALID_JSON',
    () => secure('{"query":"{__typename}","variables":{"n":[536904399,x]}}'),
  ],
  [
    'JSON that ends in the middle of a value',
    400,
    'INVALID_JSON',
    () => secure(submission().split(canary.ssn)[0] + canary.ssn),
  ],
  [
    'invalid UTF-8 behind a value',
    400,
    'INVALID_ENCODING',
    () =>
      secure(
        Buffer.concat([
          Buffer.from(submission().split(canary.ssn)[0] + canary.ssn),
          Buffer.from([0xff]),
          Buffer.from('"}}}'),
        ]),
      ),
  ],
  [
    'a duplicate key',
    400,
    'DUPLICATE_KEY',
    () => secure(submission().replace('"ssn":', `"ssn":"${canary.ssn}","ssn":`)),
  ],
  ['a batch', 400, 'BATCHING_NOT_SUPPORTED', () => secure(`[${submission()}]`)],

  ['the vault down', 503, 'UNAVAILABLE', broken('vault.db', 'kyc_relay_vault_tokens')],
  ['the store down', 500, 'INTERNAL', broken('kyc.db', 'kyc_relay_verifications')],
  ['the store down in the middle', 500, 'INTERNAL', broken('kyc.db', 'kyc_relay_audit_entries')],

  [
    'a webhook URL made of it',
    400,
    'BAD_REQUEST',
    () =>
      exchange('api', {
        target: '/api/v1/webhooks',
        token: server.demo.apps[0]?.apiKey ?? null,
        body: json({ url: `http://example.com/${canary.ssn}`, eventTypes: [canary.lastName] }),
      }),
  ],
  [
    'an unknown delivery',
    404,
    'NOT_FOUND',
    () =>
      exchange('api', {
        method: 'GET',
        target: `/api/v1/webhooks/deliveries/${canary.ssn}`,
        token: server.demo.apps[0]?.apiKey ?? null,
        headers: { 'content-length': '0' },
      }),
  ],
  [
    'an internal event made of it',
    400,
    'BAD_REQUEST',
    () =>
      exchange('internal', {
        target: '/internal/v1/events',
        token: server.demo.internalToken,
        body: json({
          appId: canary.ssn,
          userId: canary.lastName,
          eventType: canary.city,
          data: person,
          [canary.ssn]: 1,
        }),
      }),
  ],
]

describe('canary values are found in no answer, log line, output or span of', () => {
  it.each(scenarios)('%s', async (_name, status, shows, run) => {
    const answer = await run()
    expect([answer.status, answer.wire.includes(shows) ? shows : answer.wire]).toEqual([status, shows])
    expect(search.find('answer', Buffer.from(answer.wire, 'latin1'))).toEqual([])
    expect(leaksInOutput()).toEqual([])
  })
})

describe('after all of it', () => {
  const filesOf = () =>
    readdirSync(temporary, { recursive: true, encoding: 'utf8' }).map((name) => name.split('/').pop())

  it('no file holds a canary while the server runs: databases, write-ahead logs, demo, keys, temporary files', () => {
    expect(filesOf()).toEqual(
      expect.arrayContaining([
        'kyc.db',
        'kyc.db-wal',
        'kyc.db-shm',
        'vault.db',
        'vault.db-wal',
        'demo.json',
        'keys.json',
      ]),
    )
    expect(leaksInFiles()).toEqual([])
  })

  it('spans of submissions, of what was refused and of what failed were looked through', () => {
    const outcomes = new Set(spans.all.map(({ attributes }) => attributes['kyc_relay.outcome']))
    expect(outcomes).toEqual(
      new Set([...outcomes, 'VERIFIED', 'DECLINED', 'REPLAYED', 'VALIDATION_FAILED', 'recorded']),
    )
    expect(spans.all.some(({ attributes }) => attributes['error.type'] !== undefined)).toBe(true)
    // An exception on a span would come with its message and stack.
    expect(spans.all.flatMap(({ events }) => events)).toEqual([])
  })

  it('no webhook body or header holds one', async () => {
    const apiKey = server.demo.apps[0]?.apiKey ?? null
    await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: apiKey, body: { url: receiver.url('/leak') } })
    const { appId, userId } = user(0)
    const published = await server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      token: server.demo.internalToken,
      body: { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } },
    })
    expect(published.status).toBe(202)
    const [request] = await receiver.arrived('/leak', 1)
    expect(request?.body).toContain(userId)
    expect(search.find('webhook', json(request))).toEqual([])
  })

  it('no error thrown inside holds one, whatever is broken', async () => {
    const folder = mkdtempSync(join(temporary, 'inside-'))
    const keys = parseKeyFile(readFileSync(`${server.dataDir}/keys.json`, 'utf8'))
    const storage = await createSqliteStorage({ path: join(folder, 'kyc.db') }, { kycStatusEvents: true })
    const vault = await createSqliteVault({ path: join(folder, 'vault.db') }, { cipher: createLocalCipher({ keys }) })
    const ingestion = createIngestion({
      verifications: storage.verifications,
      tokenizer: vault,
      now: () => new Date(),
      newId: uuidv7,
    })
    const { appId, userId } = user(0)
    const thrown: unknown[] = []
    const submit = () =>
      ingestion.ingestSubmission({ appId, userId }, canarySubmission()).catch((error) => thrown.push(error))
    for (const [name, table] of [
      ['vault.db', 'kyc_relay_vault_data_keys'],
      ['vault.db', 'kyc_relay_vault_tokens'],
      ['kyc.db', 'kyc_relay_verifications'],
      ['kyc.db', 'kyc_relay_kyc_status_outbox'],
    ] as const) {
      const database = new Database(join(folder, name))
      database.exec(`create trigger fails before insert on ${table} begin select raise(abort, 'broken'); end`)
      await submit()
      database.exec(`drop trigger fails; alter table ${table} rename to moved_away`)
      await submit()
      database.exec(`alter table moved_away rename to ${table}`)
      database.close()
    }
    await vault.close()
    await submit()
    await storage.close()
    await submit()
    expect(thrown.length).toBe(10)
    for (const error of thrown) {
      expect(error).toBeInstanceOf(Error)
      const everything = inspect(error, { depth: Infinity, showHidden: true, maxStringLength: null })
      expect(search.find('error', everything)).toEqual([])
    }
  })

  it('each field of the person but the last four digits of the SSN holds a canary, and each canary is sent', () => {
    const found = (value: unknown) => search.find('sent', json(value)).map((leak) => leak.canary)
    const without = Object.entries(person).filter(([, value]) => found(value).length === 0)
    expect(without.map(([name]) => name)).toEqual(['ssnLast4'])
    expect(new Set(found(canarySubmission()))).toEqual(new Set(Object.keys(canary)))
  })

  it('the search sees a leak in every sink and in every encoding', async () => {
    for (const [encoding, write] of Object.entries(encodings)) {
      for (const [name, value] of Object.entries(canary)) {
        for (const written of write(value)) {
          const line = Buffer.concat([Buffer.from('{"msg":"x'), Buffer.from(written as string), Buffer.from('y"}')])
          expect(search.find('control', line)).toContainEqual({ sink: 'control', canary: name, encoding })
        }
      }
    }
    // A file beside the databases, a line in the log, a print, an answer and a webhook with a canary in each.
    writeFileSync(join(server.dataDir, 'debug.txt'), `last submission: ${Buffer.from(canary.ssn).toString('base64')}`)
    const database = new Database(join(server.dataDir, 'kyc.db'))
    database.exec(`create table debug (line text); insert into debug values ('${canary.lastName}')`)
    database.close()
    const found = leaksInFiles()
    expect(found.filter(({ sink }) => sink.endsWith('debug.txt')).map((leak) => leak.canary)).toContain('ssn')
    expect(found.filter(({ sink }) => sink.endsWith('kyc.db-wal')).map((leak) => leak.canary)).toContain('lastName')
    rmSync(join(server.dataDir, 'debug.txt'))

    process.stderr.write('')
    const before = leaksInOutput().length

    console.error({ deep: { inside: new Error(canary.email) } })
    expect(leaksInOutput().length).toBeGreaterThan(before)
    printed.pop()
    expect(leaksInOutput().length).toBe(before)

    const marked = trace.getTracer('control').startSpan('control')
    marked.addLink({ context: marked.spanContext(), attributes: { ssn: canary.ssn } })
    marked.recordException(new Error(canary.lastName))
    marked.end()
    const inSpans = spans.texts().flatMap((text) => search.find('span', text).map((leak) => leak.canary))
    expect(new Set(inSpans)).toEqual(new Set(['ssn', 'lastName']))

    const echoed = await exchange('api', { body: json({ query: `{ ${canary.lastName}: viewer { userId } }` }) })
    expect(new Set(search.find('answer', echoed.wire).map((leak) => leak.canary))).toEqual(new Set(['lastName']))

    const { appId, userId } = user(0)
    // The server fills these itself.
    const {
      eventType,
      userId: _u,
      accountId: _a,
      connectedAppId: _c,
      connectedAppName: _n,
      ...data
    } = eventExample('TRANSACTION_CREATE')
    const published = await server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      token: server.demo.internalToken,
      body: { appId, userId, eventType, data: { ...data, merchantCity: canary.city } },
    })
    expect(published.status).toBe(202)
    const [, second] = await receiver.arrived('/leak', 2)
    expect(search.find('webhook', json(second)).map((leak) => leak.canary)).toContain('city')
  })
})
