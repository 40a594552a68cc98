import { BrokenRule } from '../outcome.js'

/** The calls of the partner API that the cases use. */
export interface WebhookApi {
  register(fields: Readonly<Record<string, unknown>>): Promise<string>
  remove(endpointId: string): Promise<void>
  sendTest(endpointId: string): Promise<void>
  /** The last delivery of an endpoint. */
  findLast(endpointId: string): Promise<{ readonly deliveryId: string; readonly status: string } | null>
  resend(deliveryId: string): Promise<void>
}

/** Creates the calls. An answer that the contract does not allow breaks the rule of the case. */
export function createWebhookApi(options: {
  readonly url: string
  readonly apiKey: string
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}): WebhookApi {
  const base = `${options.url.replace(/\/$/, '')}/api/v1/webhooks`

  async function call(method: string, path: string, wanted: readonly number[], body?: unknown): Promise<unknown> {
    const headers = { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(options.timeoutMs)
    let status: number
    let text: string
    try {
      const init = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const response = await options.fetch(`${base}${path}`, init)
      status = response.status
      text = await response.text()
    } catch {
      throw new BrokenRule(`${method} /api/v1/webhooks${path} gave no answer.`)
    }
    if (!wanted.includes(status)) {
      throw new BrokenRule(`${method} /api/v1/webhooks${path} was answered ${status}, not ${wanted.join(' or ')}.`)
    }
    return text === '' ? null : parse(text)
  }

  return {
    async register(fields) {
      const id = member(await call('POST', '', [201], fields), 'id')
      if (typeof id !== 'string') throw new BrokenRule('POST /api/v1/webhooks was answered without an id.')
      return id
    },
    remove: async (id) => void (await call('DELETE', `/${id}`, [204])),
    sendTest: async (id) => void (await call('POST', `/${id}/test`, [200, 201, 202], {})),
    async findLast(id) {
      const items = member(await call('GET', `/deliveries?endpointId=${id}&limit=1`, [200]), 'items')
      const last: unknown = Array.isArray(items) ? items[0] : null
      const [deliveryId, status] = [member(last, 'id') ?? member(last, 'deliveryId'), member(last, 'status')]
      return typeof deliveryId === 'string' && typeof status === 'string' ? { deliveryId, status } : null
    },
    resend: async (id) => void (await call('POST', `/deliveries/${id}/resend`, [200, 201, 202])),
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BrokenRule('An answer of the API is not JSON.')
  }
}
