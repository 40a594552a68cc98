import { and, eq } from 'drizzle-orm'
import type { RecoveryStore } from '@kyc-relay/webhooks/delivery'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { checkedTime } from '../checked-time.js'
import { checkedLimit } from '../pages.js'
import { preparePublishing } from './publishing.sqlite.js'
import {
  countsAfter,
  formatTypes,
  parseTypes,
  readProgress,
  typesOf,
  type StartRequest,
  type StepRequest,
} from './recoveries.js'
import { prepareRecoveries } from './recovery-statements.sqlite.js'
import { isRunning, recoveries } from './recovery-tables.sqlite.js'
import { deliveryClass, unnamedTypes } from './values.js'

/** Creates the recovery store on one SQLite connection. */
export function createRecoveryStore(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly clock: () => Date
}): RecoveryStore {
  const { db, commits, clock } = dependencies
  const publishing = preparePublishing(db)
  const statements = prepareRecoveries(db)

  function start({ endpointId, ...request }: StartRequest) {
    const endpoint = statements.findEndpoint.get({ appId: request.appId, endpointId })?.position
    if (endpoint === undefined) return 'not_found'
    const other = and(eq(recoveries.endpoint, endpoint), isRunning)
    if (db.select().from(recoveries).where(other).get() !== undefined) return 'running'
    const now = clock().getTime()
    const { appId, recoveryId } = request
    const until = checkedTime(request.until ?? new Date(now)).getTime()
    const range = { since: checkedTime(request.since).getTime(), until: Math.min(until, now) }
    const eventTypes = formatTypes(request.eventTypes)
    const row = { appId, recoveryId, endpoint, ...range, eventTypes, createdAt: now }
    db.insert(recoveries)
      .values({ ...row, state: 'RUNNING' })
      .run()
    return 'started'
  }

  function writeStep(request: StepRequest) {
    const { appId, after, next } = request
    const { recoveryId, endpointId } = request
    const row = statements.find.get({ appId, recoveryId })
    const endpoint = statements.findEndpoint.get({ appId, endpointId })?.position
    const stands =
      row?.afterCreatedAt === (after?.createdAt.getTime() ?? null) && row.afterPosition === (after?.position ?? null)
    if (row?.state !== 'RUNNING' || endpoint !== row.endpoint || !stands) return 'stale'
    const createdAt = clock().getTime()
    let created = 0
    for (const { eventId, deliveryId, xEventId } of request.deliveries) {
      const event = statements.findEvent.get({ eventId, appId })
      if (event === undefined || statements.findUnneeded.get({ xEventId }) !== undefined) continue
      const { position, userId, eventType } = event
      const made = { deliveryId, xEventId, endpoint, appId, userId, eventType, createdAt, resendOf: null }
      publishing.insertDelivery.run({ ...made, event: position, class: deliveryClass.recovered })
      created += 1
    }
    if (created > 0) publishing.advanceNextDue.run({ endpoint, class: deliveryClass.recovered, dueAt: createdAt })
    const place = next ?? after
    const progress = { afterCreatedAt: place?.createdAt.getTime() ?? null, afterPosition: place?.position ?? null }
    statements.writeProgress.run({ appId, recoveryId, ...countsAfter(row, request, created), ...progress })
    return 'written'
  }

  return {
    startRecovery: (request) => commits.write(() => start(request)),

    findRecovery: ({ appId, recoveryId }) =>
      read(() => {
        const row = statements.find.get({ appId, recoveryId })
        return row === undefined ? null : readProgress(row)
      }),

    stopRecovery: ({ appId, recoveryId }) =>
      commits.write(() => {
        const isOne = and(eq(recoveries.appId, appId), eq(recoveries.recoveryId, recoveryId))
        db.update(recoveries).set({ state: 'STOPPED' }).where(and(isOne, isRunning)).run()
        return statements.find.get({ appId, recoveryId }) !== undefined
      }),

    listRunning: ({ limit, after = null }) =>
      read(() => {
        const former = after === null ? undefined : statements.find.get(after)
        const place = { afterCreatedAt: former?.createdAt ?? 0, afterId: former?.recoveryId ?? '' }
        return statements.listRunning.all({ ...place, limit: checkedLimit(limit) })
      }),

    findNextStep: ({ appId, recoveryId, mostWaiting }) =>
      read(() => {
        const found = statements.findRunning.get({ appId, recoveryId })
        if (found === undefined) return null
        const { row, endpointId, lineageId } = found
        const waiting = statements.listWaiting.all({ endpoint: row.endpoint, limit: mostWaiting })
        if (waiting.length >= mostWaiting) return null
        const after =
          row.afterCreatedAt === null || row.afterPosition === null
            ? null
            : { createdAt: new Date(row.afterCreatedAt), position: row.afterPosition }
        const range = { since: new Date(row.since), until: new Date(row.until), after }
        return { appId, endpointId, lineageId, ...range, eventTypes: parseTypes(row.eventTypes) }
      }),

    listEvents: (range) =>
      read(() => {
        const { appId, endpointId, after, limit } = range
        const [since, until] = [checkedTime(range.since), checkedTime(range.until)]
        const endpoint = statements.findEndpoint.get({ appId, endpointId })
        if (endpoint === undefined) return []
        const rows = statements.listEvents.all({
          appId,
          lineageId: endpoint.lineageId,
          // Positions begin with 1.
          afterCreatedAt: (after?.createdAt ?? since).getTime(),
          afterPosition: after?.position ?? 0,
          until: until.getTime(),
          types: JSON.stringify(typesOf(endpoint.eventTypes, range.eventTypes) ?? unnamedTypes),
          limit: checkedLimit(limit),
        })
        return rows.map(({ position, createdAt, erased, acknowledged, pending, ...event }) => ({
          ...event,
          place: { createdAt: new Date(createdAt), position },
          erased: erased === 1,
          delivered: acknowledged === 1 ? 'ACKNOWLEDGED' : pending === 1 ? 'PENDING' : null,
        }))
      }),

    writeStep: (request) => commits.write(() => writeStep(request)),
  }
}
