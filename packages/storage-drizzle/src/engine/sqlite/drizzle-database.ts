import type { RunResult } from 'better-sqlite3'
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

/** A Drizzle database or transaction over better-sqlite3, whatever schema it was made with. */
export type DrizzleDatabase = BaseSQLiteDatabase<'sync', RunResult, Record<string, never>>
