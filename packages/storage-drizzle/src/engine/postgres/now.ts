import { sql } from 'drizzle-orm'

/**
 * SQL of the store's clock. It is the database's clock, which all processes share, unless the parameter `now` is a
 * time. Milliseconds, like all times in the ports.
 */
export const now = sql`coalesce(${sql.placeholder('now')}::timestamptz, clock_timestamp())::timestamptz(3)`
