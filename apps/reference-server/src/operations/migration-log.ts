import type { MigrationListeners } from '@kyc-relay/storage-drizzle/internal'
import type { Log } from './log.js'

/**
 * Creates callbacks that log the start, the wait for a lock, and the end of each migration. A new database has one
 * line.
 *
 * @param nowMs Monotonic clock, in milliseconds.
 */
export function createMigrationLog(
  log: Log,
  nowMs: () => number,
): (database: 'stores' | 'vault') => Required<MigrationListeners> {
  return (database) => {
    const job = `migrate ${database}`
    let isNew = false
    let startedMs = nowMs()
    return {
      onMigration({ state, name: migration, number: count, total }) {
        if (state === 'applying') {
          if (count === 1) isNew = true
          if (!isNew || count === 1) startedMs = nowMs()
          if (!isNew) log.info('applying migration', { job, migration, count, total })
          return
        }
        const durationMs = Math.round(nowMs() - startedMs)
        if (!isNew) log.info('migration applied', { job, migration, count, total, durationMs })
        else if (count === total) log.info('database made', { job, count, total, durationMs })
      },
      onMigrationWaiting({ waitedMs }) {
        log.warn('migration waits for a lock', { job, durationMs: waitedMs })
      },
      onUnknownIndex(index) {
        log.warn('index was added by hand: it slows writes, and an upgrade may have to drop it', { job, index })
      },
    }
  }
}
