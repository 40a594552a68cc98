import { readFileSync } from 'node:fs'
import type pg from 'pg'

// Checks the statements of the stores against the tables that `distribute.sql` distributes.

/** The file that distributes the tables. */
export const distributeSql = readFileSync(new URL('../../../distribute.sql', import.meta.url), 'utf8')

/** The distribution column of each distributed table. */
const columns = new Map<string, string>()
for (const [, table = '', column = ''] of distributeSql.matchAll(/\('(kyc_relay_\w+)', '(\w+)', /g)) {
  columns.set(table, column)
}

const isWriteOrLock = /\b(?:INSERT INTO|UPDATE|DELETE FROM|FOR SHARE|FOR (?:NO KEY )?UPDATE)\b/i

/**
 * Finds distributed tables that a statement does not restrict to one value of their distribution column: by a parameter,
 * or by the column of a table that has one.
 */
function unrestrictedTables(text: string): string[] {
  const plain = text.replaceAll('"', '')
  const uses = plain.matchAll(
    /\b(?:FROM|JOIN|USING|(?<!NO KEY )(?<!DO )UPDATE)\s+(kyc_relay_\w+)(?:\s+(?:AS\s+)?(?!WHERE|SET|ON|USING|ORDER|LEFT|INNER|JOIN)(\w+))?/gi,
  )
  const unrestricted: string[] = []
  for (const [, table = '', alias = table] of uses) {
    const column = columns.get(table)
    if (column === undefined) continue
    const own = `(?:\\b${alias}\\.|(?<!\\.)\\b)${column}`
    const isRestricted = new RegExp(`${own} = \\$\\d`).test(plain)
    const isJoined = new RegExp(
      `\\b${alias}\\.${column} = \\w+\\.|= ${alias}\\.${column}\\b|USING \\(${column}\\b`,
    ).test(plain)
    const somewhere = new RegExp(`\\b${column} = \\$\\d`).test(plain)
    if (!isRestricted && !(isJoined && somewhere)) unrestricted.push(table)
  }
  for (const [, table = '', list = ''] of plain.matchAll(/INSERT INTO (kyc_relay_\w+)(?: AS \w+)? \(([^)]*)\)/gi)) {
    const column = columns.get(table)
    if (column !== undefined && !list.split(',').some((name) => name.trim() === column)) unrestricted.push(table)
  }
  return unrestricted
}

/** A node of a distributed PostgreSQL has a clock of its own: the time is a parameter of each statement. */
const usesClock = (text: string) =>
  /_timestamp\(\)|\bnow\(\)/i.test(text) && [...columns.keys()].some((table) => text.includes(table))

export interface DistributionGuard {
  /** Statements that wrote or locked rows of more than one value of the distribution column. */
  readonly refused: Set<string>
  /** Reads over all shards, by the tables that they read. */
  readonly readsOverAll: Set<string>
}

/** Refuses, on the connections of a pool, each write or lock that does not name one app, user or key. */
export function guardDistribution(pool: pg.Pool, guard: DistributionGuard): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    client.query = ((config: string | pg.QueryConfig, ...rest: unknown[]) => {
      const text = typeof config === 'string' ? config : config.text
      const unrestricted = unrestrictedTables(text)
      if (unrestricted.length === 0 && usesClock(text)) guard.refused.add(text.trim().slice(0, 200))
      if (unrestricted.length > 0) {
        const isRead = !isWriteOrLock.test(text)
        if (isRead) guard.readsOverAll.add([...new Set(unrestricted)].sort().join(' '))
        else {
          guard.refused.add(text.trim().slice(0, 200))
          const error = new Error(`not of one app or user: ${unrestricted.join(' ')}`)
          const callback = rest.find((each) => typeof each === 'function')
          return callback === undefined ? Promise.reject(error) : (callback(error) as unknown)
        }
      }
      return Reflect.apply(query, client, [config, ...rest]) as unknown
    }) as typeof client.query
  })
}
