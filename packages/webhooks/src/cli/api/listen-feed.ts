import { randomBytes } from 'node:crypto'
import { signedHeaders } from '../../delivery/signed-headers.js'
import { createPalette, printableText } from '../colours.js'
import { UsageError, type Terminal } from '../command.js'
import { cliUserAgent, sendRequest } from '../send-request.js'
import { findService, followService, foreignAnswer, queryOf, type Service } from './service.js'

/** Name of the environment variable with the key that signs for the receiver on this machine. */
const localKeyName = 'KYC_RELAY_LOCAL_KEY'

interface Page {
  readonly items: readonly {
    readonly eventId: string
    readonly eventType: string
    readonly body: string
    readonly deliveries: readonly { readonly xEventId: string }[]
  }[]
  readonly nextCursor: string
}

/** Options of {@link listenToFeed}. */
export interface FeedOptions {
  readonly forward: URL
  /** True to begin with the oldest event that is kept, else with the next one. */
  readonly fromStart: boolean
  /** Events to hand on. */
  readonly count: number
  readonly json: boolean
  readonly service: Parameters<typeof findService>[0]
}

/**
 * Hands the events of the feed to a receiver on this machine, one after another, until the process is stopped. Each is
 * signed anew with a local key, so that the receiver does not need the real one.
 */
export async function listenToFeed(options: FeedOptions, terminal: Terminal): Promise<number> {
  const service = await findService(options.service, terminal)
  const key = localKey(service.apiKey, terminal)
  const palette = createPalette(terminal.colours)
  let after = options.fromStart ? undefined : await findEnd(service, terminal)
  let handed = 0
  terminal.out(options.json ? JSON.stringify({ following: true }) : 'Following the feed. Stop with Ctrl+C.')
  const look = async () => {
    const page = await readPage(service, after)
    for (const { eventId, eventType, body, deliveries } of page.items) {
      if (terminal.stopped.aborted || handed >= options.count) break
      const xEventId = deliveries[0]?.xEventId ?? eventId
      const status = await hand(options.forward, new TextEncoder().encode(body), xEventId, key, terminal.now())
      handed += 1
      const isGood = status !== null && status >= 200 && status <= 299
      const answer = palette[isGood ? 'good' : 'bad'](status === null ? 'no answer' : String(status))
      terminal.out(
        options.json
          ? JSON.stringify({ eventId, xEventId, eventType, status })
          : `${printableText(`${eventType} ${xEventId}`)} ${answer}`,
      )
    }
    const isEmpty = page.nextCursor === after
    after = page.nextCursor
    return handed < options.count ? !isEmpty : null
  }
  await followService(look, terminal)
  return 0
}

function localKey(apiKey: string, { env, err }: Terminal): string {
  const given = env[localKeyName]
  if (given === apiKey) throw new UsageError(`${localKeyName} is the API key itself. Choose another one.`)
  if (given) return given
  const made = `local_${randomBytes(24).toString('base64url')}`
  err(`Your receiver verifies with this key: ${made} (set ${localKeyName} to choose it)`)
  return made
}

/** Reads to the end of the feed: what is there already was published before. */
async function findEnd(service: Service, { stopped }: Terminal): Promise<string | undefined> {
  let after: string | undefined
  while (!stopped.aborted) {
    const { nextCursor } = await readPage(service, after)
    if (nextCursor === after) break
    after = nextCursor
  }
  return after
}

/** Reads a page. Without a cursor in it, the same events would be handed on again and again. */
async function readPage(service: Service, after: string | undefined): Promise<Page> {
  const page = await service.list<Page>(`/events${queryOf({ after })}`, 'eventId')
  const isEvent = ({ eventType, body, deliveries }: Page['items'][number]) =>
    typeof eventType === 'string' && typeof body === 'string' && Array.isArray(deliveries)
  if (typeof page.nextCursor !== 'string' || !page.items.every(isEvent)) throw foreignAnswer(200)
  return page
}

async function hand(url: URL, body: Uint8Array, xEventId: string, secret: string, now: Date): Promise<number | null> {
  const headers = await signedHeaders({
    xEventId,
    test: false,
    body,
    standardWebhooks: false,
    secret,
    now,
    userAgent: cliUserAgent,
  })
  return sendRequest({ url, headers, body, timeoutMs: 30_000 }).then(
    ({ status }) => status,
    () => null,
  )
}
