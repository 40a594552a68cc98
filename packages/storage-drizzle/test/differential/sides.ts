import { createMemoryVerificationStore } from '@kyc-relay/kyc-core/testing'
import {
  createMemoryFeedStore,
  createMemoryRecoveryStore,
  createMemoryTransactionStore,
  createMemoryWebhookData,
  createMemoryWebhookStore,
} from '@kyc-relay/webhooks/testing'
import type pg from 'pg'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import type { Side } from './comparison.js'

export const memorySide: Side = {
  name: 'memory',
  async open(clock) {
    const options = { nowMs: () => clock().getTime(), data: createMemoryWebhookData() }
    return {
      webhooks: createMemoryWebhookStore(options),
      recoveries: createMemoryRecoveryStore(options),
      transactions: createMemoryTransactionStore(options),
      feed: createMemoryFeedStore(options),
      verifications: createMemoryVerificationStore(),
    }
  },
}

export const sqliteSide: Side = {
  name: 'SQLite',
  open: (clock) => createSqliteStorage({ path: ':memory:' }, { clock }),
}

/** A database with migrated tables, which are emptied before each sequence. */
export const postgresSide = (options: {
  readonly name: string
  readonly pool: pg.Pool
  readonly distributed: boolean
  readonly empty: (pool: pg.Pool) => Promise<void>
}): Side => ({
  name: options.name,
  async open(clock) {
    const { pool, distributed } = options
    await options.empty(pool)
    return createPostgresStorage({ pool }, { clock, migrations: 'require', notify: false, distributed })
  },
})
