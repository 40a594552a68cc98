import { createHmac, randomUUID } from 'node:crypto'

export const apiKey = 'kyc_key_example_only'

interface Delivery {
  readonly id: string
  readonly endpointId: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  status: 'PENDING' | 'DELIVERED'
}

/** Mistakes that the sender can make. */
export type Mistake =
  | 'none'
  | 'upper-case hex'
  | 'signs other bytes'
  | 'a new id for each attempt'
  | 'follows redirects'
  | 'no retry'
  | 'retries a 204'
  | 'sends to removed endpoints'
  | 'tests with a user'
  | 'always signs Standard Webhooks'
  | 'an old timestamp'
  | 'an event type for declined transactions'
  | 'sends text'

/** The case has ended, and its receiver is gone. */
const isGone = () => undefined

/**
 * A sender behind the partner API, as small as can be: it tries again at once, twice. `fetch` to it is a call.
 *
 * It is written from the contract alone, and shares no code with the packages.
 */
export function createSender(mistake: Mistake = 'none'): typeof fetch {
  const endpoints = new Map<string, { url: string; eventTypes?: readonly string[]; standardWebhooks?: boolean }>()
  const deliveries: Delivery[] = []
  const is = (one: Mistake) => mistake === one

  function headersOf(body: string, standardWebhooks: boolean): Record<string, string> {
    const id = randomUUID()
    const hex = createHmac('sha256', apiKey)
      .update(is('signs other bytes') ? `${body}\n` : body)
      .digest('hex')
    const timestamp = String(Math.floor(Date.now() / 1000) - (is('an old timestamp') ? 3600 : 0))
    const signature = createHmac('sha256', apiKey).update(`${id}.${timestamp}.${body}`).digest('base64')
    return {
      'content-type': is('sends text') ? 'text/plain' : 'application/json',
      'x-hmac-signature': is('upper-case hex') ? hex.toUpperCase() : hex,
      'x-event-id': id,
      'x-test-event': 'true',
      ...(standardWebhooks || is('always signs Standard Webhooks')
        ? { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
        : {}),
    }
  }

  async function deliver(delivery: Delivery): Promise<void> {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const headers = is('a new id for each attempt')
        ? { ...delivery.headers, 'x-event-id': randomUUID() }
        : delivery.headers
      const redirect = is('follows redirects') ? 'follow' : 'manual'
      const { status } = await fetch(delivery.url, { method: 'POST', headers, body: delivery.body, redirect })
      const isDone = status >= 200 && status < 300 && !(is('retries a 204') && status === 204 && attempt === 1)
      if (isDone || is('no retry')) break
    }
    delivery.status = 'DELIVERED'
  }

  function sendTo(endpointId: string): void {
    const {
      url,
      eventTypes = ['WIDGET_DEPOSIT_COMPLETE'],
      standardWebhooks = false,
    } = endpoints.get(endpointId) ?? {
      url: '',
    }
    const [type] = eventTypes
    const userId = is('tests with a user') ? randomUUID() : '00000000-0000-0000-0000-000000000000'
    const named = type !== 'TRANSACTION_DECLINE' || is('an event type for declined transactions')
    const body = JSON.stringify({ ...(named ? { eventType: type } : {}), userId, accountId: userId })
    const headers = headersOf(body, standardWebhooks)
    const delivery: Delivery = { id: randomUUID(), endpointId, url, headers, body, status: 'PENDING' }
    deliveries.unshift(delivery)
    deliver(delivery).catch(isGone)
  }

  const answer = (status: number, body?: unknown) =>
    new Response(body === undefined ? null : JSON.stringify(body), { status })

  return async (input, init) => {
    const { pathname, searchParams } = new URL(input as string)
    const path = pathname.replace('/api/v1/webhooks', '')
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as { url: string }) : { url: '' }
    if (init?.method === 'POST' && path === '') {
      const id = randomUUID()
      endpoints.set(id, body)
      return answer(201, { id })
    }
    if (init?.method === 'GET') {
      const ofEndpoint = deliveries.filter(({ endpointId }) => endpointId === searchParams.get('endpointId'))
      return answer(200, { items: ofEndpoint.slice(0, 1).map(({ id, status }) => ({ id, status })) })
    }
    const [, first = '', second = ''] = path.split('/')
    if (init?.method === 'DELETE') {
      if (is('sends to removed endpoints')) sendTo(first)
      endpoints.delete(first)
      return answer(204)
    }
    if (first === 'deliveries') {
      const again = deliveries.find(({ id }) => id === second)
      if (again) deliver({ ...again }).catch(isGone)
      return answer(202, {})
    }
    sendTo(first)
    return answer(202, {})
  }
}
