import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { signedHeaders } from '../delivery/signed-headers.js'
import { allEventTypes } from '../events/event-types.js'
import { didYouMean } from './closest.js'
import { createPalette, printableText } from './colours.js'
import { UsageError, type Command } from './command.js'
import { parseCount } from './count-option.js'
import { loadEventTypes } from './event-types-option.js'
import { findSecret, readDemoFile, readText, secretHelp, secretOptions } from './secret-option.js'
import { cliUserAgent, sendRequest } from './send-request.js'

const nilUuid = '00000000-0000-0000-0000-000000000000'

/** Command: signs an example event and sends it. */
export const triggerCommand: Command = {
  summary: 'sign an example event and send it to a receiver',
  help: `Usage: kyc-webhooks trigger EVENT_TYPE --url URL [options]

Sends one example event, signed, to your receiver, as the service would.

EVENT_TYPE is one of:
  ${allEventTypes.join('\n  ')}

  --url URL            where to send it
  --event-types FILE   JavaScript module with event types of your own, as
                       eventTypes or as its default export
${secretHelp}
  --ca PATH            trust this certificate authority (PEM); --data-dir knows
                       the one of the local demo
  --set FIELD=VALUE    replace a field of the example; may be repeated
  --event-id ID        X-Event-ID (default: random)
  --times N            send it N times with the same X-Event-ID, as a duplicate
                       comes (default 1)
  --test               mark it as a test event, with nil UUIDs as user and
                       account
  --standard-webhooks  add the three Standard Webhooks headers
  --timeout MS         give up after MS milliseconds (default 30000)
  --json               print {"eventId": "…", "answers": [{"status": 200, …}]}

Exit code: 0 every answer was 200 to 299, 1 another one or none, 2 a mistake in
the command line.

Examples:
  kyc-webhooks trigger TRANSACTION_CREATE --data-dir ./data \\
    --url https://localhost:8443/webhooks
  kyc-webhooks trigger WIDGET_DEPOSIT_COMPLETE --times 2 \\
    --url http://localhost:3000/hooks
`,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...secretOptions,
        url: { type: 'string' },
        ca: { type: 'string' },
        set: { type: 'string', multiple: true },
        'event-types': { type: 'string' },
        'event-id': { type: 'string' },
        times: { type: 'string' },
        test: { type: 'boolean' },
        'standard-webhooks': { type: 'boolean' },
        timeout: { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    const eventTypes = await loadEventTypes(values['event-types'])
    const type = eventTypes.find(positionals[0] ?? '')
    if (type === undefined || positionals.length > 1) {
      const advice = positionals[0] === undefined ? '' : didYouMean(positionals[0], eventTypes.names)
      throw new UsageError(`Give one event type: ${eventTypes.names.join(', ')}.${advice}`)
    }
    const url = parseUrl(values.url)
    const times = parseCount('--times', values.times, 1, 1000, 1)
    const timeoutMs = parseCount('--timeout', values.timeout, 30_000, 600_000, 1)
    const secret = await findSecret(values, terminal)
    const ca = await findCa(values)

    const body = new TextEncoder().encode(
      JSON.stringify(payloadOf(type.example, values.set ?? [], values.test === true)),
    )
    const eventId = parseEventId(values['event-id'])
    const answers: { status: number | null; body: string }[] = []
    for (let sent = 0; sent < times; sent++) {
      const headers = await signedHeaders({
        xEventId: eventId,
        test: values.test === true,
        body,
        standardWebhooks: values['standard-webhooks'] === true,
        secret,
        now: terminal.now(),
        userAgent: cliUserAgent,
      })
      answers.push(
        await sendRequest({ url, headers, body, ca, timeoutMs }).then(
          ({ status, text }) => ({ status, body: text }),
          (error: unknown) => ({ status: null, body: reasonOf(error) }),
        ),
      )
    }

    if (values.json) terminal.out(JSON.stringify({ eventId, answers }))
    else {
      const palette = createPalette(terminal.colours)
      for (const { status, body: text } of answers) {
        const good = isSuccess(status)
        terminal.out(
          `${type.name} ${eventId} ${palette[good ? 'good' : 'bad'](status === null ? 'no answer' : String(status))} ${printableText(text.trim())}`.trimEnd(),
        )
      }
    }
    return answers.every(({ status }) => isSuccess(status)) ? 0 : 1
  },
}

/** Any text that a header can hold: a receiver must refuse ids of a wrong form. */
function parseEventId(text: string = randomUUID()): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new UsageError('--event-id takes printable ASCII characters.')
  return text
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}

function payloadOf(
  example: Readonly<Record<string, unknown>>,
  changes: readonly string[],
  test: boolean,
): Record<string, unknown> {
  // Without a prototype, on which a field of its name would be set instead.
  const payload: Record<string, unknown> = Object.assign(Object.create(null) as object, example)
  if (test) Object.assign(payload, { userId: nilUuid, accountId: nilUuid })
  for (const change of changes) {
    const [, field = '', text = ''] = /^([^=]+)=(.*)$/s.exec(change) ?? []
    if (!field) throw new UsageError('--set takes FIELD=VALUE, for example --set amount=12.5.')
    payload[field] = valueOf(field, text, payload)
  }
  return payload
}

/** Reads a value as the type that the field has in the example: a text needs no quotes, all others are JSON. */
function valueOf(field: string, text: string, example: Readonly<Record<string, unknown>>): unknown {
  const value = jsonOf(text)
  if (!Object.hasOwn(example, field)) {
    const advice = didYouMean(field, Object.keys(example))
    if (advice !== '') throw new UsageError(`The example has no field ${field}.${advice}`)
    return value === undefined ? text : value
  }
  const like = example[field]
  if (value === null) return null
  if (typeof like === 'string') return typeof value === 'string' ? value : text
  // JSON writes a number beyond the range as null.
  const isBeyond = value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
  if (value === undefined || isBeyond || (like !== null && kindOf(value) !== kindOf(like))) {
    throw new UsageError(`--set ${field} takes a value of type ${kindOf(like)}, as JSON.`)
  }
  return value
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Undefined for a text that is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseUrl(text: string | undefined): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new UsageError('Give the address of the receiver: --url https://….')
  }
  return url
}

async function findCa(values: {
  readonly ca?: string | undefined
  readonly 'data-dir'?: string | undefined
}): Promise<string | undefined> {
  if (values.ca !== undefined) return readText(values.ca)
  const caFile = values['data-dir'] === undefined ? undefined : (await readDemoFile(values['data-dir'])).caFile
  return caFile === undefined ? undefined : readText(caFile)
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'ECONNREFUSED: no server listens on this port. Check that the receiver runs, and its port.'],
  [
    'ECONNRESET',
    'ECONNRESET: the connection was closed. Check --url: https:// for a receiver with HTTPS, http:// for one without.',
  ],
  ['EPROTO', 'EPROTO: the server does not speak TLS. For a receiver without HTTPS use http:// in --url.'],
  ['ENOTFOUND', 'ENOTFOUND: the host name does not exist.'],
  ['CERT_HAS_EXPIRED', 'CERT_HAS_EXPIRED: the certificate of the receiver has expired. Renew it.'],
  ['CERT_NOT_YET_VALID', 'CERT_NOT_YET_VALID: the certificate of the receiver is not valid yet. Check both clocks.'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_TLS_CERT_ALTNAME_INVALID: the certificate is for another host name. Check --url and the names in the certificate.',
  ],
  ['ABORT_ERR', 'no response in time'],
])

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = reasons.get(code)
  if (known !== undefined) return known
  if (/CERT|SIGNATURE|ISSUER/.test(code))
    return `${code}: the certificate is not trusted. Give its certificate authority with --ca.`
  return code || 'unknown reason'
}
