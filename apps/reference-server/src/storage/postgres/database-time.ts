import { sql, type SQL } from 'drizzle-orm'

/** SQL of the current time: the database's clock, which all processes share, unless `at` replaces it. */
export const databaseTime = (at: Date | null): SQL =>
  sql`coalesce(${at?.toISOString() ?? null}::timestamptz, clock_timestamp())::timestamptz(3)`

/** SQL of the time that is `ms` milliseconds after another. */
export const msAfter = (time: SQL, ms: number): SQL => sql`${time} + ${ms}::float8 * interval '1 millisecond'`
