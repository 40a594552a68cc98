import type { RunResult } from 'better-sqlite3'
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

/** A Drizzle database or transaction over better-sqlite3, with any schema. */
export type DrizzleDatabase = BaseSQLiteDatabase<'sync', RunResult, Record<string, never>>
