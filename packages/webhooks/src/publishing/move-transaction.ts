import { checkOptions } from '../delivery/check-options.js'
import { WebhookError, type PreparationViolation } from '../delivery/webhook-error.js'
import type { InsertedEvent, OriginalEvent } from '../delivery/webhook-store.js'
import {
  transitionTransactionStatus,
  type TransactionEventType,
  type TransactionState,
} from '../events/transaction-status.js'
import { fieldsToStore, openFields } from '../sealing/sealed-fields.js'
import { openOne } from '../sealing/stored-bodies.js'
import { checkDeps, checkRequest } from './check-request.js'
import { prepareEvent, type EventInput, type PrepareEventDeps } from './prepare-event.js'
import type {
  KnownTransactionState,
  PublishedBefore,
  TransactionMove,
  TransactionRecord,
  TransactionStore,
} from './transaction-store.js'

interface TransactionRequestFields {
  readonly transactionId: string
  /** Payload fields. Missing common identifiers, `status`, `createdAt` and `updatedAt` are filled in. */
  readonly data: Readonly<Record<string, unknown>>
  /** Id of the event at its source. A second request with this id returns the original result. */
  readonly sourceEventId?: string | null
}

/** Kinds of transaction requests. */
export type TransactionRequest = TransactionRequestFields &
  (
    | { readonly kind: 'create'; readonly appId: string; readonly userId: string }
    /** `data` holds the changed fields. Missing fields, including `status`, do not change. */
    | { readonly kind: 'update'; readonly appId?: string; readonly userId?: string; readonly status?: string }
    /** Declines a known or new transaction; `data` is the whole payload of `TRANSACTION_DECLINE`. */
    | { readonly kind: 'decline'; readonly appId: string; readonly userId: string }
  )

/** Result of a {@link TransactionRequest}. */
export interface MovedTransaction {
  readonly transactionId: string
  readonly state: KnownTransactionState
  readonly eventType: TransactionEventType
  /** `duplicate` when the `sourceEventId` was known, so nothing was written. */
  readonly event: InsertedEvent
}

/** Dependencies of {@link moveTransaction}. */
export interface MoveTransactionDeps extends PrepareEventDeps {
  readonly transactions: TransactionStore
}

/**
 * Returns the status change that an event reports; null for one that is not about a known transaction of its user.
 *
 * A service that publishes events of transactions by itself asks this first: `moveTransaction` then refuses what the
 * table of docs/contract.md 8.5 forbids.
 *
 * @example
 * ```ts
 * import { moveTransaction, type EventInput } from '@kyc-relay/webhooks/delivery'
 * import { findMove, type MoveTransactionDeps } from '@kyc-relay/webhooks/internal'
 *
 * async function publishMove(event: EventInput, deps: MoveTransactionDeps) {
 *   const move = await findMove(event, deps.transactions)
 *   return move === null ? null : moveTransaction(move, deps)
 * }
 * ```
 */
export async function findMove(event: EventInput, transactions: TransactionStore): Promise<TransactionRequest | null> {
  const { appId, userId, data, sourceEventId = null } = event
  const kind = kindOf[event.eventType as TransactionEventType] as TransactionRequest['kind'] | undefined
  const given = (data as typeof data | null)?.['transactionId']
  if (kind === undefined || typeof given !== 'string') return null
  const transactionId = given.toLowerCase()
  const { transaction, publishedBefore } = await transactions.findTransaction({ transactionId, appId, sourceEventId })
  const isKnown = transaction?.appId === appId && transaction.userId === userId
  // An event of before the transaction was known is repeated as it was published.
  if (!isKnown || publishedBefore?.move === null) return null
  return { kind, transactionId, appId, userId, data, sourceEventId }
}

/** Most tries of a status change when concurrent changes come first. */
const mostDecisions = 8

/**
 * Changes the status of a transaction and publishes its event in one atomic write (docs/contract.md 8.5).
 *
 * @throws WebhookError `TRANSACTION_UNKNOWN` for an update of an unknown transaction, or one of another app or user;
 *   `TRANSACTION_EXISTS` when the id of a new one is taken; `TRANSITION_NOT_ALLOWED`, also for an update that changes
 *   nothing; `SOURCE_EVENT_ID_CONFLICT` when the `sourceEventId` was used for another event; `EVENT_INVALID` with its
 *   violations; `OPTIONS_INVALID` for an unknown name beside `data`, an empty `sourceEventId`, or a missing id, kind, `data` or dependency; `TRANSACTION_BUSY` and
 *   `BODIES_UNAVAILABLE` (both retryable).
 *
 * @example
 * ```ts
 * import { moveTransaction } from '@kyc-relay/webhooks/delivery'
 * import type { MoveTransactionDeps } from '@kyc-relay/webhooks/internal'
 *
 * const settle = (transactionId: string, deps: MoveTransactionDeps) =>
 *   moveTransaction({ kind: 'update', transactionId, status: 'SETTLED', data: {}, sourceEventId: 'ledger-42' }, deps)
 * ```
 */
export async function moveTransaction(given: TransactionRequest, deps: MoveTransactionDeps): Promise<MovedTransaction> {
  const names = ['kind', 'transactionId', 'appId', 'userId', 'data', 'sourceEventId']
  checkRequest(given, given?.kind === 'update' ? [...names, 'status'] : names)
  checkMove(given)
  checkDeps(deps, ['grants', 'endpoints', 'transactions'])
  // A UUID in another letter case is the same transaction.
  const transactionId = given.transactionId.toLowerCase()
  const request: TransactionRequest = { ...given, transactionId }
  const { sourceEventId = null } = request
  const { bodySealer } = deps
  for (let decision = 0; decision < mostDecisions; decision += 1) {
    const { transaction: stored, publishedBefore } = await deps.transactions.findTransaction({
      transactionId,
      appId: request.appId ?? null,
      sourceEventId,
    })
    if (publishedBefore !== null) return answerAgain(request, await opened(publishedBefore, request, stored, deps))
    const transaction = stored && { ...stored, fields: await openFields(placeOf(stored), stored.fields, bodySealer) }

    const movedAt = deps.now()
    const { owner, eventType, next, data, fields: clear, isUnchanged } = decideMove(request, transaction, movedAt)
    const event = await prepareEvent({ ...owner, eventType, data, sourceEventId }, deps)
    // Only now: a wrong identifier is refused as such, although identifiers change nothing.
    if (isUnchanged) throw new WebhookError('TRANSITION_NOT_ALLOWED')
    const fields = await fieldsToStore({ ...owner, recordId: transactionId }, clear, bodySealer)
    const fromRevision = transaction?.revision ?? 0
    const move: TransactionMove = { transactionId, ...owner, fromRevision, next, fields, movedAt, event }
    const written = await deps.transactions.moveTransaction(move)
    if (written !== 'stale') return { transactionId, state: next, eventType, event: written }
  }
  throw new WebhookError('TRANSACTION_BUSY')
}

function checkMove({ kind, transactionId, data }: TransactionRequest): void {
  const { rule, port, end } = checkOptions()
  rule('kind', Object.values(kindOf).includes(kind))
  rule('transactionId', typeof transactionId === 'string')
  port('data', data, [])
  end()
}

const placeOf = ({ appId, userId, transactionId }: TransactionRecord) => ({ appId, userId, recordId: transactionId })

/** Opens the body of the event that was published before. */
async function opened(
  before: PublishedBefore,
  request: TransactionRequest,
  transaction: TransactionRecord | null,
  { bodySealer }: MoveTransactionDeps,
): Promise<PublishedBefore> {
  const { event } = before
  const appId = request.appId ?? transaction?.appId
  if (event.original === null || appId === undefined) return before
  const { userId, body: stored } = event.original
  const body = await openOne({ appId, userId, part: 'event', recordId: event.eventId, stored }, bodySealer)
  return { ...before, event: { ...event, original: { ...event.original, body } } }
}

function answerAgain(request: TransactionRequest, { event, move }: PublishedBefore): MovedTransaction {
  const isMove = move?.transactionId === request.transactionId && kindOf[move.eventType] === request.kind
  if (!isMove || !tellsTheSame(request, event.original)) throw new WebhookError('SOURCE_EVENT_ID_CONFLICT')
  return { transactionId: move.transactionId, state: move.state, eventType: move.eventType, event }
}

/** Checks that every given field is in the event of the first request. Of a blanked body nothing is compared. */
function tellsTheSame(request: TransactionRequest, original: OriginalEvent | null): boolean {
  if (original === null) return true
  if ((request.userId ?? original.userId) !== original.userId) return false
  if (original.body === null || original.body.length === 0) return true
  const body = JSON.parse(new TextDecoder().decode(original.body)) as Readonly<Record<string, unknown>>
  const status = (request.kind === 'update' ? request.status : undefined) ?? request.data['status'] ?? body['status']
  const given = { ...withoutFilledFields(request.data), status, transactionId: null }
  return !changesAnything(given, body)
}

const kindOf: Readonly<Record<TransactionEventType, TransactionRequest['kind']>> = {
  TRANSACTION_CREATE: 'create',
  TRANSACTION_UPDATE: 'update',
  TRANSACTION_DECLINE: 'decline',
}

interface DecidedMove {
  readonly owner: { readonly appId: string; readonly userId: string }
  readonly eventType: TransactionEventType
  readonly next: KnownTransactionState
  /** Payload of the event. */
  readonly data: Readonly<Record<string, unknown>>
  /** Fields stored for later updates. */
  readonly fields: TransactionMove['fields']
  readonly isUnchanged: boolean
}

function decideMove(request: TransactionRequest, current: TransactionRecord | null, at: Date): DecidedMove {
  const { transactionId } = request
  const owner = ownerOf(request, current)
  if (request.kind === 'create' && current !== null) throw new WebhookError('TRANSACTION_EXISTS')
  const next = nextState(request, current)
  const eventType = allowedMove(current?.state ?? 'NONE', next)
  const own = { transactionId: agreeing('transactionId', request.data, transactionId) }
  if (request.kind === 'decline') {
    return { owner, eventType, next, data: { ...request.data, ...own }, fields: null, isUnchanged: false }
  }

  const before = current?.fields ?? {}
  const instant = at.toISOString()
  const given = withoutFilledFields(request.data)
  const isUnchanged = request.kind === 'update' && current?.state === next && !changesAnything(given, before)
  const stamp =
    request.kind === 'create'
      ? { createdAt: given['createdAt'] ?? instant }
      : { updatedAt: given['updatedAt'] ?? instant }
  const fields = { ...before, ...given, ...own, ...stamp }
  return { owner, eventType, next, data: { ...request.data, ...fields, status: next }, fields, isUnchanged }
}

/** Checks the owner. A transaction of another app or user gives the same error as an unknown one. */
function ownerOf(request: TransactionRequest, current: TransactionRecord | null): DecidedMove['owner'] {
  const unknown = new WebhookError(request.kind === 'update' ? 'TRANSACTION_UNKNOWN' : 'TRANSACTION_EXISTS')
  if (current === null) {
    if (request.kind === 'update') throw unknown
    return { appId: request.appId, userId: request.userId }
  }
  const { appId, userId } = current
  if ((request.appId ?? appId) !== appId || (request.userId ?? userId) !== userId) throw unknown
  return { appId, userId }
}

function nextState(request: TransactionRequest, current: TransactionRecord | null): KnownTransactionState {
  const { status: inData } = request.data
  if (request.kind === 'decline') {
    agreeing('status', request.data, 'DECLINED')
    return 'DECLINED'
  }
  const beside = request.kind === 'update' ? request.status : undefined
  const asked = beside ?? inData ?? null
  if (beside !== undefined) agreeing('status', request.data, beside)
  if (asked === null) return request.kind === 'create' ? 'PENDING' : (current?.state ?? 'PENDING')
  if (asked !== 'PENDING' && asked !== 'SETTLED') {
    throw invalid('/status', typeof asked === 'string' ? 'ENUM' : 'TYPE')
  }
  return asked
}

function allowedMove(from: TransactionState, to: KnownTransactionState): TransactionEventType {
  const move = transitionTransactionStatus(from, to)
  if (!move.ok) throw new WebhookError('TRANSITION_NOT_ALLOWED')
  return move.eventType
}

/** Returns the value when the data has no value or the same one (UUIDs in any letter case). */
function agreeing(field: string, data: TransactionRequest['data'], value: string): string {
  const given = data[field] ?? value
  const agrees = typeof given === 'string' && given.toLowerCase() === value.toLowerCase()
  if (!agrees) throw invalid(`/${field}`, 'IDENTIFIER_MISMATCH')
  return value
}

/** Not stored: each event takes the name from the grant because an app can be renamed. */
const filledFields = new Set(['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName', 'status'])

function withoutFilledFields(data: TransactionRequest['data']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([field]) => !filledFields.has(field)))
}

function changesAnything(given: Readonly<Record<string, unknown>>, before: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(given).some(
    ([field, value]) =>
      field !== 'transactionId' && JSON.stringify(value ?? null) !== JSON.stringify(before[field] ?? null),
  )
}

const messages = {
  ENUM: 'Not an allowed value. Allowed: PENDING, SETTLED.',
  TYPE: 'This value has the wrong type.',
  IDENTIFIER_MISMATCH: 'This value is given twice, and the two differ.',
} as const

function invalid(pointer: string, code: keyof typeof messages): WebhookError {
  const violation: PreparationViolation = { pointer, code, message: messages[code] }
  return new WebhookError('EVENT_INVALID', [violation])
}
