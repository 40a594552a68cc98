import { sql, type SQL } from 'drizzle-orm'
import { statement, type Statement } from '../engine/postgres/statement.js'
import { groupBy } from '../group-by.js'

/** Rows of one transaction. */
export interface AppGroup<Row> {
  /** Their app if the tables are distributed by app; null for rows of any apps. */
  readonly appId: string | null
  readonly rows: readonly Row[]
}

/**
 * Groups rows for transactions: one group for each app if the tables are distributed by app, else one group of all. No
 * rows make no group.
 */
export function groupByApp<Row>(
  rows: readonly Row[],
  appIdOf: (row: Row) => string,
  distributed: boolean,
): readonly AppGroup<Row>[] {
  if (!distributed) return rows.length === 0 ? [] : [{ appId: null, rows }]
  return [...groupBy(rows, appIdOf)].map(([appId, ofApp]) => ({ appId, rows: ofApp }))
}

/**
 * Compiles a statement twice: for rows of any apps, and for rows of the app in `appId`. A distributed PostgreSQL runs the
 * second one on the node of the app, because each table is restricted to the app.
 *
 * @param template Builds the statement. `ofApp` is the restriction of a table.
 */
export function statementByApp<Row = never>(
  name: string,
  template: (ofApp: (table: string) => SQL) => SQL,
): Statement<Row> {
  const ofAny = statement<Row>(
    name,
    template(() => sql`true`),
  )
  const ofOne = statement<Row>(
    `${name}_of_app`,
    template((table) => sql`${sql.raw(table)}.app_id = ${sql.placeholder('appId')}`),
  )
  const chosen = ({ appId }: Readonly<Record<string, unknown>>) => (appId === null ? ofAny : ofOne)
  return {
    query: (values) => chosen(values).query(values),
    rows: (on, values) => chosen(values).rows(on, values),
    count: (on, values) => chosen(values).count(on, values),
  }
}
