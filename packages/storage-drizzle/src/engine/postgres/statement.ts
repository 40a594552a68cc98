import { fillPlaceholders, is, Placeholder, type SQL } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg, { type CustomTypesConfig } from 'pg'
import { parseInstant } from './instant-text.js'
import { withGivenTime } from './parameters.js'

/** Runs statements: a pool, a client inside a transaction, or a transaction of the caller. */
export interface Queryable {
  query(query: StatementQuery): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
}

/** One statement with its parameters, in pg's format. */
export interface StatementQuery {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
  readonly types?: CustomTypesConfig
}

/**
 * Returns Drizzle's query builder for a connection or a transaction. It builds the text of a query at each call, which
 * takes tens of microseconds. Statements of every submission or delivery are compiled once instead: {@link statement}.
 */
export function queryBuilder(on: Queryable): NodePgDatabase {
  const query = (query: StatementQuery, values: unknown[]) => on.query({ ...query, values })
  // The builder calls nothing else of a pool.
  return drizzle({ client: Object.assign(Object.create(pg.Pool.prototype) as pg.Pool, { query }) })
}

/** A compiled statement. Each connection prepares it at its first run. */
export interface Statement<Row> {
  rows(on: Queryable, values: Readonly<Record<string, unknown>>): Promise<readonly Row[]>
  /** Runs the statement and returns the number of affected rows. */
  count(on: Queryable, values: Readonly<Record<string, unknown>>): Promise<number>
  /** Returns the statement with its parameters. */
  query(values: Readonly<Record<string, unknown>>): StatementQuery
}

/** Returns the statement without a name: a named statement belongs to one session. */
export function withoutName<Query extends { readonly name?: string }>({
  name: _,
  ...query
}: Query): Omit<Query, 'name'> {
  return query
}

/** Type ids of PostgreSQL; they never change. */
const int8 = 20
const bytea = 17
const timestamptz = 1184

/** Prefix of bytes in PostgreSQL's hex format. */
const hexMark = String.raw`\x`

/** Copies bytes to separate memory: small Node buffers share memory with other data. */
function parseBytes(text: string): Buffer {
  if (!text.startsWith(hexMark)) return ownCopyOf(parseEscaped(text))
  const bytes = Buffer.allocUnsafeSlow((text.length - hexMark.length) / 2)
  bytes.write(text.slice(hexMark.length), 'hex')
  return bytes
}

const parseEscaped = pg.types.getTypeParser(bytea, 'text') as (text: string) => Buffer

function ownCopyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Parsers of this package, independent of global settings of pg. Positions and counts are below 2⁵³. */
const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (text: never) => unknown {
    if (oid === int8) return (text: string) => Number(text)
    if (oid === bytea) return parseBytes
    if (oid === timestamptz) return parseInstant
    const parser: unknown =
      format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text')
    return parser as (text: never) => unknown
  },
}

/** pg would write a time in the zone of the process, without the seconds that zones of long ago have. */
const inUtc = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** Gives every use of a placeholder the same parameter, so that a list is sent once. */
function withEachNameOnce({ sql: text, params }: { readonly sql: string; readonly params: readonly unknown[] }) {
  const numbers = new Map<unknown, number>()
  const keys = params.map((param) => (is(param, Placeholder) ? param.name : param))
  for (const key of keys) if (!numbers.has(key)) numbers.set(key, numbers.size + 1)
  return {
    text: text.replaceAll(/\$(\d+)/g, (_, number) => `$${numbers.get(keys[Number(number) - 1])}`),
    params: [...numbers.keys()].map((key) => params[keys.indexOf(key)]),
  }
}

/**
 * Compiles a statement.
 *
 * @param name Name of the server-side prepared statement; at most 63 bytes, one text per name.
 */
export function statement<Row = never>(name: string, template: SQL): Statement<Row> {
  const { text, params } = withEachNameOnce(new PgDialect().sqlToQuery(template))
  const atGivenTime = withGivenTime(text)
  const query = (values: Readonly<Record<string, unknown>>): StatementQuery => ({
    ...(values['now'] instanceof Date && text !== atGivenTime
      ? { name: `kyc_relay_${name}_at`, text: atGivenTime }
      : { name: `kyc_relay_${name}`, text }),
    values: fillPlaceholders(params, values).map(inUtc),
    types,
  })
  return {
    query,
    async rows(on, values) {
      return (await on.query(query(values))).rows as Row[]
    },
    async count(on, values) {
      return (await on.query(query(values))).rowCount ?? 0
    },
  }
}
