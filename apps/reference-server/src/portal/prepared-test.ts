import type { PreparedTest } from '../webhooks-api/test-event.js'

/** Serialises a prepared test event, so that another process can send exactly the shown request. */
export function writePreparedTest({ endpoint, event }: PreparedTest): Uint8Array {
  const text = JSON.stringify({ endpoint, event: { ...event, body: Buffer.from(event.body).toString('base64') } })
  return new TextEncoder().encode(text)
}

/** Reads the result of {@link writePreparedTest}. */
export function parsePreparedTest(content: Uint8Array): PreparedTest {
  const { endpoint, event } = JSON.parse(new TextDecoder().decode(content)) as Written
  return {
    endpoint: { ...endpoint, createdAt: new Date(endpoint.createdAt) },
    event: {
      ...event,
      occurredAt: new Date(event.occurredAt),
      body: new Uint8Array(Buffer.from(event.body, 'base64')),
    },
  }
}

/** Restores times and bytes from text. */
interface Written {
  readonly endpoint: Omit<PreparedTest['endpoint'], 'createdAt'> & { readonly createdAt: string }
  readonly event: Omit<PreparedTest['event'], 'occurredAt' | 'body'> & {
    readonly occurredAt: string
    readonly body: string
  }
}
