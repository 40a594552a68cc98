import { checkOptions } from '../delivery/check-options.js'
import { createDeliveryWorker } from '../delivery/delivery-worker.js'
import { createProblemPrinter } from '../delivery/print-problem.js'
import { tellObserver } from '../delivery/tell-observer.js'
import type { Sender } from '../delivery/sender.js'
import { WebhookError } from '../delivery/webhook-error.js'
import type { Endpoint, InsertedEvent, NewEndpoint, PreparedEvent } from '../delivery/webhook-store.js'
import { systemTimers } from '../delivery/worker-timers.js'
import { eventTypesOf, type EventTypes } from '../events/event-type-registry.js'
import { eventTypes } from '../events/event-types.js'
import type { NoEventTypes, OwnEventType } from '../events/own-event-types.js'
import { checkEndpointUrl, type EndpointUrlPolicy } from '../https/endpoint-url.js'
import { endpointsPerApp } from '../publishing/endpoints-per-app.js'
import { prepareEvent } from '../publishing/prepare-event.js'
import { isSameClearEvent, isSameEvent } from '../publishing/same-event.js'
import { callbacksOf, checkWebhooksOptions } from './check-webhooks-options.js'
import { createMaintenance } from './maintenance.js'
import { uuidv7 } from './uuidv7.js'
import type {
  EndpointInput,
  InsertedNowOrLater,
  Published,
  PublishedEventInput,
  Webhooks,
  WebhooksOptions,
  WebhooksProblem,
} from './webhooks-options.js'
import { createWithheldWatch } from './withheld-watch.js'

/**
 * Sends webhooks from a server that you have: endpoints, events in your own transactions, deliveries with retries, and
 * removal of old data. docs/embed.md has a complete program.
 *
 * It composes the parts of this module, which stay available: `prepareEvent`, `createDeliveryWorker` and
 * `checkEndpointUrl`. Any number of processes may publish. `start` makes one deliver too.
 *
 * @throws WebhookError `OPTIONS_INVALID` for a missing option, or a setting outside its range
 *
 * @example
 * ```ts
 * import { createWebhooks, type GrantLookup, type SigningKeys } from '@kyc-relay/webhooks/delivery'
 * import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export async function sendFirst(grants: GrantLookup, signingKeys: SigningKeys, appId: string, userId: string) {
 *   const storage = await createSqliteStorage({ path: 'kyc.db' })
 *   const webhooks = createWebhooks({ storage, grants, signingKeys })
 *   await webhooks.start()
 *   await webhooks.registerEndpoint({ appId, url: 'https://partner.example.com/webhooks' })
 *   const published = await webhooks.publish({ appId, userId, eventType: 'WIDGET_KYC_INITIATION', data: {} })
 *   console.log(published.status, published.reason)
 * }
 * ```
 */
export function createWebhooks<
  Transaction,
  Inserted extends InsertedNowOrLater,
  const Own extends readonly OwnEventType[] = NoEventTypes,
>(options: WebhooksOptions<Transaction, Inserted, Own>): Webhooks<Transaction, Inserted, Own> {
  checkWebhooksOptions(options)
  const { storage, urls = {}, newId = uuidv7, now = () => new Date(), random = Math.random } = options
  const { timers = systemTimers, worker: settings = {} } = options
  const { webhooks: store } = storage
  const knownTypes = eventTypesOf(options.eventTypes)
  const print = createProblemPrinter('webhooks', () => timers.monotonicMs())

  function tell(problem: WebhooksProblem, error: unknown): void {
    if (options.onProblem === undefined) return print(problem, error)
    tellObserver(() => options.onProblem?.(problem, error))
  }

  const sealing = options.bodySealer === undefined ? {} : { bodySealer: options.bodySealer }
  let sender: Promise<Sender> | null = null
  /** Loads the sender once. A failed load is tried again at the next start. */
  async function loadSender(): Promise<Sender> {
    try {
      return options.send ?? (await defaultSender(urls))
    } catch (error) {
      sender = null
      throw error
    }
  }
  const worker = createDeliveryWorker({
    ...callbacksOf(options.observe),
    store,
    grants: options.grants,
    signingKeys: options.signingKeys,
    send: async (request) => (await (sender ??= loadSender()))(request),
    ...(options.openHeaders === undefined ? {} : { openHeaders: options.openHeaders }),
    ...sealing,
    eventTypes: knownTypes,
    now,
    random,
    timers,
    options: settings,
    onProblem: tell,
  })
  const inBackground = backgroundTimers(options.timers)
  const withheld = createWithheldWatch(inBackground, (error) => tell('EVERYTHING_WITHHELD', error))
  const maintenance = createMaintenance(options, inBackground, tell)
  const preparing = {
    grants: options.grants,
    endpoints: store,
    eventTypes: knownTypes,
    now,
    newId,
    ...sealing,
    ...(settings.scopeRule === undefined ? {} : { scopeRule: settings.scopeRule }),
  }
  let started: Promise<{ release(): Promise<void> } | null> | null = null
  let stopped: Promise<unknown> = Promise.resolve()

  function publishedOf(prepared: PreparedEvent, inserted: InsertedEvent): Published {
    const { original, eventId, deliveries } = inserted
    if (original !== null && !isSameClearEvent(prepared, original)) throw new WebhookError('SOURCE_EVENT_ID_CONFLICT')
    // The last endpoint may have been removed while the event was prepared.
    const reason = inserted.withheld ?? (deliveries.length === 0 ? 'NO_ENDPOINT' : null)
    withheld.count(reason)
    return reason === null
      ? { status: 'QUEUED', eventId, deliveries }
      : { status: 'WITHHELD', reason, eventId, deliveries }
  }

  /** Compares opened bodies too, which a transaction of better-sqlite3 cannot wait for. */
  async function publishedAfterOpening(prepared: PreparedEvent, inserted: InsertedEvent): Promise<Published> {
    const isSame = await isSameEvent(prepared, inserted, options.bodySealer)
    if (!isSame) throw new WebhookError('SOURCE_EVENT_ID_CONFLICT')
    return publishedOf(prepared, inserted)
  }

  function publishPrepared(transaction: Transaction, prepared: PreparedEvent): Published | Promise<Published> {
    const inserted = storage.insertEvent(transaction, prepared)
    return inserted instanceof Promise
      ? inserted.then((one) => publishedAfterOpening(prepared, one))
      : publishedOf(prepared, inserted)
  }

  const prepare = (event: PublishedEventInput<Own>) => prepareEvent(event, preparing)

  async function startOnce() {
    await stopped
    sender ??= loadSender()
    await sender
    const lock = (await storage.acquireWorkerLock?.()) ?? null
    worker.start()
    maintenance.start()
    return lock
  }

  async function stopRunning(running: typeof started): Promise<void> {
    const lock = await running?.catch(() => null)
    await Promise.all([worker.stop(), maintenance.stop()])
    await lock?.release()
  }

  return {
    async registerEndpoint(input) {
      const endpoint = newEndpointOf(input, { urls, eventTypes: knownTypes, newId, now })
      const known = (await store.listEndpoints(input.appId)).findLast(({ url }) => url === endpoint.url)
      if (known !== undefined && hasSameSettings(known, endpoint)) return known
      const replaced =
        known === undefined
          ? 'not_found'
          : await store.replaceEndpoint({
              appId: input.appId,
              endpointId: known.endpointId,
              // Static headers are set elsewhere, for example in a portal.
              replacement: { ...endpoint, headers: known.headers },
            })
      if (replaced !== 'replaced' && (await store.registerEndpoint(endpoint, endpointsPerApp)) === 'limit_reached')
        throw new WebhookError('ENDPOINT_LIMIT_REACHED')
      const stored = (await store.listEndpoints(input.appId)).find(
        ({ endpointId }) => endpointId === endpoint.endpointId,
      )
      if (stored === undefined) throw new WebhookError('ENDPOINT_NOT_FOUND')
      return stored
    },
    async publish(event) {
      const prepared = await prepare(event)
      const published = await publishedAfterOpening(prepared, await store.insertEvent(prepared))
      worker.wake()
      return published
    },
    prepare,
    publishIn: ((transaction: Transaction, event: PreparedEvent | PublishedEventInput<Own>) => {
      if (isPrepared(event)) return publishPrepared(transaction, event)
      // Prepared later, it would be written after the end of the transaction.
      if (storage.synchronousTransactions === true) throw new WebhookError('EVENT_NOT_PREPARED')
      return prepare(event).then((prepared) => publishPrepared(transaction, prepared))
    }) as Webhooks<Transaction, Inserted, Own>['publishIn'],
    async start() {
      const starting = (started ??= startOnce())
      try {
        await starting
      } catch (error) {
        // A stop and a newer start may have replaced it. The next stop must find the lock of that start.
        if (started === starting) started = null
        throw error
      }
    },
    async stop() {
      withheld.end()
      const stopping = stopRunning(started)
      started = null
      stopped = Promise.allSettled([stopped, stopping])
      await stopping
    },
  }
}

const isPrepared = (event: object): event is PreparedEvent =>
  typeof event === 'object' && event !== null && 'eventId' in event

/** Loaded when it is used: a host with a `send` of its own may run without the modules of Node. */
async function defaultSender(policy: WebhooksOptions<never, InsertedNowOrLater>['urls'] = {}): Promise<Sender> {
  try {
    const { createHttpsSender } = await import('../https/https-sender.js')
    return createHttpsSender({ policy })
  } catch (error) {
    throw Object.assign(new WebhookError('SENDER_UNAVAILABLE'), { cause: error })
  }
}

/** Timers that do not keep the process alive. */
function backgroundTimers(given: WebhooksOptions<never, InsertedNowOrLater>['timers']) {
  if (given !== undefined) return (callback: () => void, delayMs: number) => given.schedule(callback, delayMs)
  return (callback: () => void, delayMs: number) => {
    const timer = setTimeout(callback, delayMs) as ReturnType<typeof setTimeout> | { unref(): void }
    if (typeof timer === 'object') timer.unref()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
  }
}

interface EndpointContext {
  readonly urls: EndpointUrlPolicy
  readonly eventTypes: Pick<EventTypes, 'names' | 'find'>
  readonly newId: () => string
  readonly now: () => Date
}

function newEndpointOf(
  input: EndpointInput<string>,
  { urls, eventTypes: known, newId, now }: EndpointContext,
): NewEndpoint {
  const { port, rule, only, end } = checkOptions()
  port('endpoint', input, [])
  end()
  const { appId, url, description = null } = input
  const standardWebhooks = input.standardWebhooks ?? false
  const checked = checkEndpointUrl(url, urls)
  if (!checked.ok) throw new WebhookError(checked.code)
  rule('appId', typeof appId === 'string' && appId !== '')
  rule('eventTypes', Array.isArray(input.eventTypes ?? []))
  rule('description', description === null || isDescription(description))
  rule('standardWebhooks', typeof standardWebhooks === 'boolean')
  only(null, input, ['appId', 'url', 'eventTypes', 'description', 'standardWebhooks'])
  end()
  const eventTypes = input.eventTypes ?? unnamedTypes(known)
  if (eventTypes !== null && (eventTypes.length === 0 || !eventTypes.every((type) => known.find(type) !== undefined)))
    throw new WebhookError('EVENT_TYPE_UNKNOWN')
  return {
    endpointId: newId(),
    appId,
    url: checked.url,
    eventTypes,
    description,
    standardWebhooks,
    createdAt: now(),
  }
}

/** As the service's own API accepts it, on every store: PostgreSQL stores no NUL and no lone surrogate. */
const isDescription = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 200 && /^[^\p{Cc}\p{Cs}]*$/u.test(value)

/**
 * Types of an endpoint that names none: null, the standard types, unless own types go to everybody. A store knows only
 * the standard ones.
 */
function unnamedTypes({ names, find }: EndpointContext['eventTypes']): readonly string[] | null {
  const all = names.filter((name) => find(name)?.optIn === false)
  return all.length === eventTypes.length ? null : all
}

function hasSameSettings(known: Endpoint, wanted: NewEndpoint): boolean {
  const typesOf = ({ eventTypes }: Pick<Endpoint, 'eventTypes'>) =>
    eventTypes === null ? null : [...new Set(eventTypes)].sort().join()
  return (
    typesOf(known) === typesOf(wanted) &&
    known.standardWebhooks === wanted.standardWebhooks &&
    known.description === wanted.description
  )
}
