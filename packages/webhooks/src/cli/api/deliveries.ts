import { parseArgs } from 'node:util'
import { printableJson, printableText } from '../colours.js'
import { UsageError, type Command, type Terminal } from '../command.js'
import { parseCount } from '../count-option.js'
import { formatTable } from '../table.js'
import {
  findService,
  followService,
  foreignAnswer,
  queryOf,
  serviceHelp,
  serviceOptions,
  type Service,
} from './service.js'
import { parseEventTypes, parseId, parseTime, parseVerb } from './verbs.js'

interface Delivery {
  readonly id: string
  readonly eventType: string
  readonly status: string
  readonly httpStatus: number | null
  readonly latencyMs: number | null
  readonly createdAt: string
  readonly url: string
}

interface Page {
  readonly items: readonly Delivery[]
  readonly nextCursor: string | null
}

const filterOptions = {
  status: { type: 'string' },
  event: { type: 'string' },
  endpoint: { type: 'string' },
  'event-id': { type: 'string' },
  'x-event-id': { type: 'string' },
  user: { type: 'string' },
  transaction: { type: 'string' },
  'http-status': { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
} as const

/** Command: reads the delivery log, and sends deliveries again. */
export const deliveriesCommand: Command = {
  summary: 'search the delivery log, follow it, and send deliveries again',
  help: `Usage: kyc-webhooks deliveries list [filters]
       kyc-webhooks deliveries show ID
       kyc-webhooks deliveries resend ID…
       kyc-webhooks deliveries tail [filters]

Filters, in any combination:
  --status STATUS       PENDING, DELIVERED, FAILED or CANCELLED
  --event TYPE          event type
  --endpoint ID         endpoint
  --event-id ID         event
  --x-event-id ID       value of X-Event-ID
  --user ID             user
  --transaction ID      transaction
  --http-status CODE    answer to the last attempt
  --since TIME          created at or after: 2026-01-31T12:00:00Z, 90m, 6h, 2d
  --until TIME          created before

  --limit N             rows of list (default 50), newest first
  --count N             stop tail after N lines

tail prints a delivery when it is made and when its status changes. With
--status it prints a delivery when it gets this status. Without --since it
prints what happens from now on. It watches the newest 200 deliveries of the
filters: it can miss a change behind 200 newer ones, which list shows.

${serviceHelp}

Exit code: 0 done, 1 the service refused, 2 a mistake in the command line.

Examples:
  kyc-webhooks deliveries list --status FAILED --since 6h --data-dir ./data
  kyc-webhooks deliveries tail --profile production
`,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...serviceOptions,
        ...filterOptions,
        limit: { type: 'string' },
        count: { type: 'string' },
      },
    })
    const { verb, given } = parseVerb(positionals, { list: 0, show: 1, resend: 1000, tail: 0 })
    const ids = given.map((text) => parseId(text, 'a delivery'))
    const json = values.json === true
    const limit = parseCount('--limit', values.limit, 50, 100_000, 1)
    const count = parseCount('--count', values.count, Number.POSITIVE_INFINITY, 1_000_000, 1)
    if (verb !== 'list' && values.limit !== undefined) throw new UsageError('--limit is for list.')
    if (verb !== 'tail' && values.count !== undefined) throw new UsageError('--count is for tail.')
    const filter = parseFilter(values, terminal.now())
    if ((verb === 'show' || verb === 'resend') && Object.values(filter).some((value) => value !== undefined)) {
      throw new UsageError(`${verb} takes no filters.`)
    }
    const service = await findService(values, terminal)
    if (verb === 'list') {
      const items = await listUpTo(service, filter, limit)
      if (json) terminal.out(JSON.stringify({ items }))
      else terminal.out(items.length === 0 ? 'No deliveries.' : formatTable(heading, items.map(rowOf)))
    } else if (verb === 'show') {
      const found = await service.call<Pick<Delivery, 'id'>>('GET', `/deliveries/${ids[0] ?? ''}`, ['id'])
      terminal.out(json ? JSON.stringify(found) : printableJson(found, 2))
    } else if (verb === 'resend') {
      for (const id of new Set(ids)) {
        const sent = await service.call<{ deliveryId: string }>('POST', `/deliveries/${id}/resend`, ['deliveryId'])
        terminal.out(
          json ? JSON.stringify({ id, deliveryId: sent.deliveryId }) : `${id} is sent as ${sent.deliveryId}.`,
        )
      }
    } else await tail(service, { filter, count, json }, terminal)
    return 0
  },
}

type Filter = Readonly<Record<string, string | undefined>>

function parseFilter(
  values: { readonly [Name in keyof typeof filterOptions]?: string | undefined },
  now: Date,
): Filter {
  const id = (name: 'endpoint' | 'event-id' | 'x-event-id' | 'user' | 'transaction', what: string) =>
    values[name] === undefined ? undefined : parseId(values[name], what)
  const status = values.status?.toUpperCase()
  if (status !== undefined && !['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'].includes(status)) {
    throw new UsageError('--status takes PENDING, DELIVERED, FAILED or CANCELLED.')
  }
  return {
    status,
    eventType: parseEventTypes(values.event === undefined ? undefined : [values.event])?.[0],
    endpointId: id('endpoint', 'an endpoint'),
    eventId: id('event-id', 'an event'),
    xEventId: id('x-event-id', 'X-Event-ID'),
    userId: id('user', 'a user'),
    transactionId: id('transaction', 'a transaction'),
    httpStatus: values['http-status'],
    createdAfter: parseTime('--since', values.since, now),
    createdBefore: parseTime('--until', values.until, now),
  }
}

async function listUpTo(service: Service, filter: Filter, limit: number): Promise<readonly Delivery[]> {
  const items: Delivery[] = []
  for await (const page of pagesOf(service, filter, () => limit - items.length)) {
    items.push(...page.slice(0, limit - items.length))
    if (items.length >= limit) break
  }
  return items
}

const members = ['createdAt', 'eventType', 'status', 'url'] as const

/**
 * Reads page after page, newest first. `left` says how many deliveries are wanted.
 *
 * A list has an end: a page without deliveries is the last one, and no page has a cursor that was there before.
 */
async function* pagesOf(service: Service, filter: Filter, left: () => number): AsyncGenerator<readonly Delivery[]> {
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const limit = String(Math.min(left(), 200))
    const { items, nextCursor }: Page = await service.list<Page>(
      `/deliveries${queryOf({ ...filter, cursor, limit })}`,
      'id',
    )
    const isEndless = nextCursor !== null && (items.length === 0 || seen.has(nextCursor))
    if (isEndless || !items.every((item) => members.every((name) => typeof item[name] === 'string')))
      throw foreignAnswer(200)
    yield items
    cursor = nextCursor ?? undefined
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined)
}

const heading = ['ID', 'CREATED', 'EVENT', 'STATUS', 'HTTP', 'MS', 'URL']

function rowOf(one: Delivery): readonly (string | null)[] {
  const { id, createdAt, eventType, status, httpStatus, latencyMs, url } = one
  const ms = latencyMs === null ? null : String(Math.round(latencyMs))
  return [id, createdAt, eventType, status, httpStatus === null ? null : String(httpStatus), ms, url]
}

/** Deliveries that `tail` watches for a change of their status, which is the largest page of the service. */
const watched = 200

/**
 * Prints deliveries when they are made and when their status changes, until the process is stopped.
 *
 * Each look reads the newest page, and further pages while a page has something to print. So it can miss a change behind
 * 200 newer deliveries. Without `--since` it begins with the newest 200, which it prints when they change. No clock says
 * where to begin, because clocks of two machines differ.
 */
async function tail(
  service: Service,
  { filter, count, json }: { readonly filter: Filter; readonly count: number; readonly json: boolean },
  terminal: Terminal,
): Promise<void> {
  const told = new Map<string, string>()
  let printed = 0
  let since = filter['createdAfter']
  if (since === undefined) {
    const newest = await listUpTo(service, filter, watched)
    for (const { id, status } of newest) told.set(id, status)
    if (newest.length === watched) since = beginOf(newest)
  }
  const look = async () => {
    const changed = await listUpToKnown(service, { ...filter, createdAfter: since }, told)
    for (const one of changed.toReversed()) {
      if (printed >= count) break
      told.set(one.id, one.status)
      printed += 1
      terminal.out(
        json
          ? JSON.stringify(one)
          : rowOf(one)
              .map((text) => printableText(text ?? '-'))
              .join('  '),
      )
    }
    return printed < count ? false : null
  }
  await followService(look, terminal)
}

/** Returns a time of creation from which on `newest` has every delivery. It can lack some of the time of its last one. */
function beginOf(newest: readonly Delivery[]): string | undefined {
  const last = newest.at(-1)?.createdAt
  return newest.findLast(({ createdAt }) => createdAt !== last)?.createdAt ?? last
}

/** Lists what is new or has another status, newest first: page by page, down to a page without any. */
async function listUpToKnown(
  service: Service,
  filter: Filter,
  told: ReadonlyMap<string, string>,
): Promise<readonly Delivery[]> {
  const changed: Delivery[] = []
  for await (const page of pagesOf(service, filter, () => Infinity)) {
    const news = page.filter(({ id, status }) => told.get(id) !== status)
    changed.push(...news)
    if (news.length === 0) break
  }
  return changed
}
