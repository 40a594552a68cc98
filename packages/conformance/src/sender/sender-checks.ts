import { BrokenRule } from '../outcome.js'
import { hexSignature, standardWebhooksHeaders } from '../signatures.js'
import type { ReceivedRequest } from './local-receiver.js'
import type { SenderCheck } from './sender-case.js'

/** Holds the requests of one case against one of its rules. */
export function holdAgainst(check: SenderCheck, requests: readonly ReceivedRequest[], apiKey: string): void {
  const values = requests.map((request) => valueOf(check.of, request, apiKey))
  for (const [index, value] of values.entries()) {
    const fail = (wanted: string) => {
      throw new BrokenRule(`Request ${index + 1}: ${check.of} is ${shown(value)}, not ${wanted}.`)
    }
    if (check.equals !== undefined && value !== check.equals) fail(shown(check.equals))
    if (check.matches !== undefined && !(typeof value === 'string' && new RegExp(check.matches, 'u').test(value))) {
      fail(`a match of ${check.matches}`)
    }
  }
  const different = new Set(values.map((value) => JSON.stringify(value))).size
  if (check.same && different > 1) throw new BrokenRule(`${check.of} differs: ${values.map(shown).join(', ')}.`)
  if (check.distinct && different < values.length) {
    throw new BrokenRule(`${check.of} repeats: ${values.map(shown).join(', ')}.`)
  }
}

function valueOf(of: string, request: ReceivedRequest, apiKey: string): unknown {
  const { headers, body } = request
  const [kind, rest] = [of.split(':', 1)[0], of.slice(of.indexOf(':') + 1)]
  if (of === 'method') return request.method
  if (of === 'body') return body.toString('base64')
  if (of === 'signature' || of === 'signature-value') {
    const given = headers['x-hmac-signature'] ?? ''
    // Its form is a rule of its own.
    const compared = of === 'signature-value' ? given.toLowerCase() : given
    return compared === hexSignature(body, apiKey) ? 'good' : 'wrong'
  }
  if (of === 'standard-id') return headers['webhook-id'] === headers['x-event-id'] ? 'X-Event-ID' : 'another'
  if (of === 'standard-webhooks') return standardStateOf(request, apiKey)
  if (kind === 'header') return headers[rest] ?? null
  if (kind === 'json') return memberOf(body, rest)
  throw new Error('A case has an unknown check.')
}

function standardStateOf({ headers, body, receivedAt }: ReceivedRequest, apiKey: string): string {
  const seconds = Number(headers['webhook-timestamp'])
  if (!(Math.abs(receivedAt.getTime() / 1000 - seconds) <= 300)) return 'not signed now'
  const id = headers['webhook-id'] ?? ''
  const expected = standardWebhooksHeaders({ id, body, signedAt: new Date(seconds * 1000), apiKey })
  const given = (headers['webhook-signature'] ?? '').split(' ')
  return given.includes(expected['webhook-signature'] ?? '') ? 'good' : 'wrong'
}

function memberOf(body: Buffer, pointer: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return 'not JSON'
  }
  for (const name of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
