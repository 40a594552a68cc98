import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GrantLookup, RecoveryStore } from '@kyc-relay/webhooks/delivery'
import { countRecovery } from '@kyc-relay/webhooks/internal'
import type { EventCatalogue } from './event-catalogue.js'

/** Numbers of events that a recovery would match and skip. */
export type RecoveryTotals = Awaited<ReturnType<typeof countRecovery>>

/** Counts what a recovery would do; `running` while the app has a count that is not over. */
export type RecoveryCounter = (range: Parameters<typeof countRecovery>[1]) => Promise<RecoveryTotals | 'running'>

/**
 * Creates the counter. It reads every event of the range, which may be all events of an app. So an app has one count
 * at a time, and other requests are answered between its pages.
 */
export function createRecoveryCounter(deps: {
  readonly recoveries: RecoveryStore
  readonly grants: GrantLookup
  readonly catalogue: Pick<EventCatalogue, 'eventTypes'>
}): RecoveryCounter {
  const running = new Set<string>()
  const store: RecoveryStore = {
    ...deps.recoveries,
    async listEvents(page) {
      // SQLite reads without ending the turn, so no request would be answered before the last page.
      await nextTurn()
      return deps.recoveries.listEvents(page)
    },
  }
  return async (range) => {
    if (running.has(range.appId)) return 'running'
    running.add(range.appId)
    try {
      return await countRecovery({ store, grants: deps.grants, eventTypes: deps.catalogue.eventTypes }, range)
    } finally {
      running.delete(range.appId)
    }
  }
}
