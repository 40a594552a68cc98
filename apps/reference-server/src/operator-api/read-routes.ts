import type { AuditEntry, AuditLog } from '@kyc-relay/kyc-core/audit'
import type { AuditLogName } from '@kyc-relay/kyc-core/internal'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { Hono } from 'hono'
import * as z from 'zod'
import type { EdgeEnv } from '../http/request-context.js'
import { isStorable } from '../http/stored-text.js'
import type { CreatedPlace, OperatorReads, TransactionRow } from '../storage/operator-reads.js'
import { serveKnownTypes } from '../webhooks-api/known-event-types.js'
import { answer, routePath, serveOperation } from '../webhooks-api/operation.js'
import { listAuditEntries } from './audit-entries.js'
import { requireRight } from './internal-caller.js'
import { decodeListCursor, encodeListCursor } from '../http/list-cursor.js'
import { pageOf } from '../http/page-of.js'
import { readOperations as operations } from './read-operations.js'

/** Dependencies of the operator's reads. */
export interface ReadRoutesDeps {
  readonly eventTypeNames: readonly string[]
  readonly reads: OperatorReads
  readonly directory: Pick<AppDirectory, 'findApp' | 'findGrants'>
  /** Null without an audit log. */
  readonly auditLogs: Readonly<Record<AuditLogName, Pick<AuditLog, 'listHeads' | 'listEntries'> | null>>
}

const cursorInvalid = { refusal: { code: 'CURSOR_INVALID' } } as const
const text = z.string().max(255).refine(isStorable)
/** As `createdCursor` writes it. PostgreSQL knows no year 0. */
const createdAt = z.iso.datetime({ precision: 3 }).refine((text) => !text.startsWith('0000'))
const created = [createdAt, z.int().min(1)] as const
const chainPlace = z.array(z.tuple([z.int().min(0), z.int().min(0)])).max(1_000)

/** Creates the reads of an operator: apps, grants, transactions, deliveries, the queue and the audit log. */
export function createReadRoutes({ reads, directory, auditLogs, eventTypeNames }: ReadRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  for (const { path } of Object.values(operations)) routes.get(routePath(path), requireRight('read'))

  serveOperation(routes, operations.listApps, async ({ query: { cursor, limit } }) => {
    const place = cursor === undefined ? undefined : decodeListCursor('apps', [text], cursor)
    if (place === null) return cursorInvalid
    const rows = await reads.listApps({ after: place?.[0], limit: limit + 1 })
    return answer(
      200,
      pageOf(rows, limit, ({ appId }) => encodeListCursor('apps', [appId])),
    )
  })

  serveOperation(routes, operations.listUsers, async ({ params: { appId }, query }) => {
    const { cursor, limit, externalReferenceId } = query
    const place = cursor === undefined ? undefined : decodeListCursor(`users ${appId}`, [text], cursor)
    if (place === null) return cursorInvalid
    if ((await directory.findApp(appId)) === null) return { refusal: { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' } }
    const rows = await reads.listUsers({ appId, externalReferenceId, after: place?.[0], limit: limit + 1 })
    const grants = rows.map((row) => ({ appId, ...row, scopes: [...row.scopes] }))
    return answer(
      200,
      pageOf(grants, limit, ({ userId }) => encodeListCursor(`users ${appId}`, [userId])),
    )
  })

  serveOperation(routes, operations.getGrant, async ({ params }) => {
    const [grant] = await directory.findGrants([params])
    if (grant == null) return { refusal: { code: 'NOT_FOUND' } }
    return answer(200, { ...grant, scopes: [...grant.scopes] })
  })

  serveOperation(routes, operations.getTransaction, async ({ params: { transactionId } }) => {
    const found = await reads.findTransaction(transactionId)
    return found === null ? { refusal: { code: 'NOT_FOUND' } } : answer(200, presentTransaction(found))
  })

  serveKnownTypes(
    routes,
    eventTypeNames,
    operations.listDeliveries,
    async ({ query: { cursor, limit, status, ...filter } }) => {
      const before = createdPlace('deliveries', cursor)
      if (before === null) return cursorInvalid
      const rows = await reads.listDeliveries({ ...filter, state: status, before, limit: limit + 1 })
      const page = pageOf(rows, limit, createdCursor('deliveries'))
      const items = page.items.map(({ position: _position, state, createdAt, endedAt, eventType, ...row }) => ({
        ...row,
        eventType,
        status: state,
        createdAt: createdAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
      }))
      return answer(200, { items, nextCursor: page.nextCursor })
    },
  )

  serveOperation(routes, operations.listWithheld, async ({ query: { cursor, limit, appId } }) => {
    const before = createdPlace('withheld', cursor)
    if (before === null) return cursorInvalid
    const page = pageOf(await reads.listWithheld({ appId, before, limit: limit + 1 }), limit, createdCursor('withheld'))
    const items = page.items.map(({ position: _position, createdAt, eventType, reason, ...row }) => ({
      ...row,
      eventType,
      reason: reason as 'NO_GRANT',
      createdAt: createdAt.toISOString(),
    }))
    return answer(200, { items, nextCursor: page.nextCursor })
  })

  serveOperation(routes, operations.listQueue, async ({ query: { cursor, limit, appId } }) => {
    const place = cursor === undefined ? undefined : decodeListCursor('queue', [text, text], cursor)
    if (place === null) return cursorInvalid
    const after = place === undefined ? undefined : { appId: place[0], endpointId: place[1] }
    const rows = await reads.listQueue({ appId, after, limit: limit + 1 })
    const page = pageOf(rows, limit, (row) => encodeListCursor('queue', [row.appId, row.endpointId]))
    const items = page.items.map((row) => ({
      ...row,
      oldestDueAt: row.oldestDueAt?.toISOString() ?? null,
      failingSince: row.failingSince?.toISOString() ?? null,
    }))
    return answer(200, { items, nextCursor: page.nextCursor })
  })

  serveOperation(routes, operations.listAuditEntries, async ({ query: { cursor, limit, log, appId, userId } }) => {
    const place = cursor === undefined ? undefined : decodeListCursor(`audit ${log}`, [chainPlace], cursor)
    if (place === null) return cursorInvalid
    const auditLog = auditLogs[log]
    if (auditLog === null) return answer(200, { items: [], nextCursor: null })
    const isWanted = (entry: AuditEntry) =>
      (appId === undefined || entry.appId === appId) && (userId === undefined || entry.userId === userId)
    const { items, next } = await listAuditEntries(auditLog, { place: place?.[0] ?? null, isWanted, limit })
    return answer(200, {
      items: items.map((entry) => presentAuditEntry(log, entry)),
      nextCursor: next === null ? null : encodeListCursor(`audit ${log}`, [next]),
    })
  })
  return routes
}

/** Undefined without a cursor, null for a cursor of another list. */
function createdPlace(list: string, cursor: string | undefined): CreatedPlace | undefined | null {
  if (cursor === undefined) return undefined
  const place = decodeListCursor(list, created, cursor)
  return place === null ? null : { createdAt: new Date(place[0]), position: place[1] }
}

const createdCursor =
  (list: string) =>
  ({ createdAt, position }: CreatedPlace): string =>
    encodeListCursor(list, [createdAt.toISOString(), position])

function presentTransaction({ state, movedAt, moves, ...row }: TransactionRow) {
  return {
    ...row,
    status: state as 'PENDING',
    movedAt: movedAt.toISOString(),
    moves: moves.map(({ revision, state: status, eventId, createdAt }) => ({
      revision,
      status: status as 'PENDING',
      eventId,
      createdAt: createdAt.toISOString(),
    })),
  }
}

function presentAuditEntry(log: AuditLogName, entry: AuditEntry) {
  const { chain, sequence, kind, atMs, appId, userId, subject, actor, reason } = entry
  return { log, chain, sequence, kind, at: new Date(atMs).toISOString(), appId, userId, subject, actor, reason }
}
