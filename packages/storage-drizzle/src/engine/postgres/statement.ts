import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'

/** What a statement runs on: a pool, a client inside a transaction, or a transaction of the caller. */
export interface Queryable {
  query(query: StatementQuery): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
}

/** One statement with its parameters, as pg takes it. */
export interface StatementQuery {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
  readonly types?: pg.CustomTypesConfig
}

/** A statement compiled once, prepared by each connection the first time it runs there. */
export interface Statement<Row> {
  rows(on: Queryable, values: Readonly<Record<string, unknown>>): Promise<readonly Row[]>
  /** How many rows it touched. */
  count(on: Queryable, values: Readonly<Record<string, unknown>>): Promise<number>
  /** With its parameters filled in. */
  query(values: Readonly<Record<string, unknown>>): StatementQuery
}

/** The same statement, parsed anew each time: a name would belong to the session that it was first sent to. */
export function withoutName<Query extends { readonly name?: string }>({
  name: _,
  ...query
}: Query): Omit<Query, 'name'> {
  return query
}

/** Type numbers of PostgreSQL, fixed for ever. */
const int8 = 20
const bytea = 17
const timestamptz = 1184

/** What PostgreSQL writes before bytes, unless it is set to escape them. */
const hexMark = String.raw`\x`

/** In memory of their own: small buffers of Node share theirs with others, which is nobody's to see. */
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

/** Own parsers, whatever an embedding system has set globally. Positions and counts stay below 2⁵³. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (text: never) => unknown {
    if (oid === int8) return (text: string) => Number(text)
    if (oid === bytea) return parseBytes
    if (oid === timestamptz) return (text: string) => new Date(text)
    const parser: unknown =
      format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text')
    return parser as (text: never) => unknown
  },
}

/**
 * Compiles a statement.
 *
 * @param name Name of the server-side prepared statement; at most 63 bytes, one text per name.
 */
export function statement<Row = never>(name: string, template: SQL): Statement<Row> {
  const { sql: text, params } = new PgDialect().sqlToQuery(template)
  const query = (values: Readonly<Record<string, unknown>>): StatementQuery => ({
    name: `kyc_relay_${name}`,
    text,
    values: fillPlaceholders(params, values),
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
