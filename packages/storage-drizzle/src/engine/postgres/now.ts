import { sql } from 'drizzle-orm'

/**
 * The store's clock inside a statement: the database's, so that all processes share one, unless the `now` parameter is
 * an instant instead of null. Milliseconds, like every instant that crosses a port.
 */
export const now = sql`coalesce(${sql.placeholder('now')}::timestamptz, clock_timestamp())::timestamptz(3)`
