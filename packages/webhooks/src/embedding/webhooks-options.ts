import type { OpenHeaders } from '../delivery/endpoint-headers.js'
import type { Sender } from '../delivery/sender.js'
import type { SigningKeys } from '../delivery/signing-keys.js'
import type { Endpoint, InsertedEvent, PreparedEvent, WebhookStore, WithheldReason } from '../delivery/webhook-store.js'
import type { DeliveryWorkerObserver, DeliveryWorkerProblem } from '../delivery/worker-observer.js'
import type { DeliveryWorkerOptions } from '../delivery/worker-options.js'
import type { WorkerTimers } from '../delivery/worker-timers.js'
import type { EventTypes } from '../events/event-type-registry.js'
import type { EventType } from '../events/event-types.js'
import type { NoEventTypes, OwnEventData, OwnEventType } from '../events/own-event-types.js'
import type { EndpointUrlPolicy } from '../https/endpoint-url.js'
import type { GrantLookup } from '../publishing/grants.js'
import type { EventInput } from '../publishing/prepare-event.js'
import type { BodySealer } from '../sealing/body-sealer.js'
import type { DeduplicationStore } from '../receiver/deduplication-store.js'

/** Ages after which {@link createWebhooks} removes old data. */
export interface RetentionTimes {
  /** Age of an event, in milliseconds, after which its body is blanked. Default 30 days. */
  readonly bodyAgeMs?: number
  /** Age of an attempt, in milliseconds, after which it is removed. Default 90 days. */
  readonly attemptAgeMs?: number
}

/** Result of a write in the caller's transaction: at once on SQLite, a promise on PostgreSQL. */
export type InsertedNowOrLater = InsertedEvent | Promise<InsertedEvent>

/** The parts of a storage that {@link createWebhooks} uses. `createSqliteStorage` and `createPostgresStorage` return it. */
export interface SendingStorage<Transaction, Inserted extends InsertedNowOrLater> {
  readonly webhooks: WebhookStore
  /** Writes an event and its deliveries in a transaction of the caller. */
  readonly insertEvent: (transaction: Transaction, prepared: PreparedEvent) => Inserted
  /** True if a transaction of the caller cannot wait for a promise: `publishIn` takes prepared events only. Default false. */
  readonly synchronousTransactions?: boolean
  /** Runs one limited step of retention. `more`: call it again. */
  readonly retention?: { removeOld(times?: RetentionTimes): Promise<{ readonly more: boolean }> }
  /** Makes this process the only worker of the database, where only one is allowed. */
  acquireWorkerLock?(): Promise<{ release(): Promise<void> }>
}

/** Codes of what {@link createWebhooks} reports to `onProblem`. */
export type WebhooksProblem = DeliveryWorkerProblem | 'EVERYTHING_WITHHELD' | 'RETENTION_FAILED' | 'FORGET_FAILED'

/** Options of {@link createWebhooks}. */
export interface WebhooksOptions<
  Transaction,
  Inserted extends InsertedNowOrLater,
  Own extends readonly OwnEventType[] = NoEventTypes,
> {
  readonly storage: SendingStorage<Transaction, Inserted>
  readonly grants: GrantLookup
  readonly signingKeys: SigningKeys
  /** Event types of your own, beside those of the service: a list, or the result of `createEventTypes`. Default none. */
  readonly eventTypes?: Own | EventTypes<Own>
  /** Exceptions for endpoint URLs, for registration and for the default `send`. Default: none. */
  readonly urls?: EndpointUrlPolicy
  /** Sends requests. Default: `createHttpsSender` of `@kyc-relay/webhooks/https`, which needs the modules of Node. */
  readonly send?: Sender
  /** Opens static headers of endpoints. Default: nothing is sent to endpoints with static headers. */
  readonly openHeaders?: OpenHeaders
  /**
   * Seals event bodies under keys of their users, for example `bodySealer` of a vault. Default: they are stored in clear.
   * On SQLite `publishIn` compares only user and type of a repeated `sourceEventId` then.
   */
  readonly bodySealer?: BodySealer
  /** Ages after which old data is removed, each hour; false if you remove it yourself. Default: those of the times. */
  readonly retention?: RetentionTimes | false
  /** Deduplication store of a receiver in this process: ids of more than 30 days ago are forgotten each hour. */
  readonly deduplicate?: Pick<DeduplicationStore, 'forget'>
  /** Settings of the delivery worker, and `scopeRule` for publishing too. */
  readonly worker?: DeliveryWorkerOptions
  /** Callbacks of the delivery worker for metrics and logs. */
  readonly observe?: Omit<DeliveryWorkerObserver, 'onProblem'>
  /**
   * Something failed. Sending continues by itself. Default: prints both with `console.error`, each code at most once a
   * minute.
   *
   * @param error What was thrown, or an error that says what to do
   */
  readonly onProblem?: (problem: WebhooksProblem, error: unknown) => void
  /** Creates UUIDs. Default {@link uuidv7}. */
  readonly newId?: () => string
  /** Clock. Default: the system clock. */
  readonly now?: () => Date
  /** A number from 0 up to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
  /** Timers of the worker. Default: those of the runtime. */
  readonly timers?: WorkerTimers
}

/** Result of publishing. */
export interface Published {
  /** `WITHHELD`: the event was recorded, and nothing is sent. */
  readonly status: 'QUEUED' | 'WITHHELD'
  /**
   * Why nothing is sent: `NO_ENDPOINT`, no endpoint of the app takes the type; `NO_GRANT`, the look-up of grants returned
   * null; `SCOPE_NOT_GRANTED`, the grant lacks scopes of the type. Absent for `QUEUED`.
   */
  readonly reason?: WithheldReason
  readonly eventId: string
  readonly deliveries: readonly { readonly deliveryId: string; readonly endpointId: string }[]
}

/** An event to publish. The schema of an own event type gives the type of its `data`. */
export type PublishedEventInput<Own extends readonly OwnEventType[] = NoEventTypes> =
  | (EventInput & { readonly eventType: EventType })
  | {
      [Name in Own[number]['name']]: Omit<EventInput, 'eventType' | 'data'> & {
        readonly eventType: Name
        readonly data: OwnEventData<Own, Name>
      }
    }[Own[number]['name']]

/** A new endpoint for {@link Webhooks.registerEndpoint}. */
export interface EndpointInput<Name extends string = EventType> {
  readonly appId: string
  readonly url: string
  /** Types to send; null for all but those that are opt-in. Default null. */
  readonly eventTypes?: readonly Name[] | null
  /** Name for people, at most 200 characters, without control characters. Default null. */
  readonly description?: string | null
  /** True to send the Standard Webhooks headers too. Default false. */
  readonly standardWebhooks?: boolean
}

/** Sends webhooks: see {@link createWebhooks}. */
export interface Webhooks<
  Transaction,
  Inserted extends InsertedNowOrLater,
  Own extends readonly OwnEventType[] = NoEventTypes,
> {
  /**
   * Registers an endpoint, so that a program can call it at each start. A URL that the app has with the same settings is
   * returned as it is. With other settings the new endpoint replaces it, takes over what waits, and keeps static headers
   * and `X-Event-ID`.
   *
   * @throws WebhookError the refusal of `checkEndpointUrl` (`URL_NOT_HTTPS`, …); `EVENT_TYPE_UNKNOWN`;
   *   `OPTIONS_INVALID` for an unknown name, or a setting of a wrong type or form; `ENDPOINT_LIMIT_REACHED` for more
   *   than 50 endpoints of an app
   */
  registerEndpoint(endpoint: EndpointInput<EventType | Own[number]['name']>): Promise<Endpoint>
  /**
   * Publishes an event in a write of its own. With a known `sourceEventId` it returns the first event.
   *
   * @throws WebhookError `EVENT_TYPE_UNKNOWN`, `EVENT_INVALID` with its violations, `GRANTS_MISMATCH`, `ID_INVALID`,
   *   `OPTIONS_INVALID` for an unknown name beside `data`, `SOURCE_EVENT_ID_CONFLICT` for a known `sourceEventId` with
   *   other content
   */
  publish(event: PublishedEventInput<Own>): Promise<Published>
  /**
   * Prepares an event for {@link Webhooks.publishIn}: everything that is asynchronous or can fail. Writes nothing.
   *
   * @throws WebhookError as `publish`
   */
  prepare(event: PublishedEventInput<Own>): Promise<PreparedEvent>
  /**
   * Publishes a prepared event in your transaction, so that your row and its event commit together. The worker finds it
   * within a second of the commit.
   *
   * On SQLite it is synchronous, because a transaction of better-sqlite3 is. On PostgreSQL await it.
   *
   * @throws StorageError `TRANSACTION_REQUIRED` outside a transaction; `SCHEMA_OUTDATED` in a database without the tables;
   *   `ARGUMENT_INVALID`; `CONSTRAINT`; `STORE_UNAVAILABLE` (retryable)
   * @throws WebhookError `SOURCE_EVENT_ID_CONFLICT`; `EVENT_NOT_PREPARED` on SQLite
   */
  publishIn(
    transaction: Transaction,
    event: PreparedEvent,
  ): Inserted extends Promise<unknown> ? Promise<Published> : Published
  /**
   * The same for an event that is not prepared, on PostgreSQL. It prepares the event while your transaction is open, so
   * prefer `prepare` before it.
   */
  publishIn(
    transaction: Transaction,
    event: Inserted extends Promise<unknown> ? PublishedEventInput<Own> : never,
  ): Promise<Published>
  /**
   * Starts the delivery worker, and retention each hour. Does nothing when it already runs. A process that only publishes
   * does not call it.
   *
   * @throws StorageError `WORKER_LOCKED` when another process is the worker of the SQLite file
   * @throws WebhookError `SENDER_UNAVAILABLE` when the default `send` cannot be loaded
   */
  start(): Promise<void>
  /** Claims nothing more and resolves when the attempts in flight have ended. Close your storage after it. */
  stop(): Promise<void>
}
