import type { PreparedTest } from '../webhooks-api/test-event.js'

/** A prepared test event as bytes, for another process to send exactly what was shown. */
export function writePreparedTest({ endpoint, event }: PreparedTest): Uint8Array {
  const text = JSON.stringify({ endpoint, event: { ...event, body: Buffer.from(event.body).toString('base64') } })
  return new TextEncoder().encode(text)
}

/** What {@link writePreparedTest} wrote. */
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

/** Instants and bytes became text. */
interface Written {
  readonly endpoint: Omit<PreparedTest['endpoint'], 'createdAt'> & { readonly createdAt: string }
  readonly event: Omit<PreparedTest['event'], 'occurredAt' | 'body'> & {
    readonly occurredAt: string
    readonly body: string
  }
}
