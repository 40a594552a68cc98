import { sql } from 'drizzle-orm'
import { actedBy } from './acted-by.js'
import type { AuditActor, AuditEntry, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent, AuditLogName } from '@kyc-relay/kyc-core/internal'
import { auditTables } from './audit-tables.js'
import { StorageError } from '../storage-error.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { now } from '../engine/postgres/parameters.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'

/** Number of chains of a log: this many transactions can append at once. */
export const auditChains = 16

/** Appends to one audit log, inside the transaction of the recorded change. */
export interface AuditChain {
  readonly seal: AuditSeal
  /**
   * Call it last: it locks the chain until the end of the transaction. A transaction locks one chain only, so that
   * appends never deadlock.
   *
   * @param about User id that selects the chain, or another text if there is no user.
   * @param eventAt Creates the content of the entry; receives the time of the store's clock.
   * @throws `AUDIT_INCOMPLETE` when the chain is missing.
   */
  append(on: Queryable, about: string, eventAt: (nowMs: number) => AuditEvent, actor?: AuditActor): Promise<void>
}

const value = sql.placeholder

/** Each submission appends an entry, so these statements are compiled once. An entry and its head are one statement. */
function prepareStatements(log: AuditLogName) {
  const { entries, heads, rows } = auditTables[log]
  const name = (what: string) => `${log}_audit_${what}`
  const [entryTable, headTable] = [sql.raw(entries), sql.raw(heads)]
  const insertEntry = sql`
INSERT INTO ${entryTable}
  (chain, sequence, kind, at, app_id, user_id, subject, actor, reason, content_digest, key_id, previous_mac, mac)
VALUES (${value('chain')}, ${value('sequence')}, ${value('kind')}, ${value('at')}, ${value('appId')},
  ${value('userId')}, ${value('subject')}, ${value('actor')}, ${value('reason')}, ${value('contentDigest')}, ${value('keyId')}, ${value('previousMac')},
  ${value('mac')})
RETURNING chain, sequence, mac`
  return {
    isBegun: statement<{ begun: boolean }>(
      name('is_begun'),
      sql`SELECT EXISTS (SELECT FROM ${headTable}) OR EXISTS (SELECT FROM ${entryTable}) AS begun`,
    ),
    lockBeginning: statement(
      name('lock_beginning'),
      sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ${heads}, 0))`,
    ),
    // Last value of the sequence, including rows that other transactions have not committed yet.
    findNewest: statement<{ position: number; at: Date }>(
      name('find_newest'),
      sql`SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(${rows}, 'position')), 0) AS position, ${now} AS at`,
    ),
    lockHead: statement<{ sequence: number; mac: Buffer; at: Date }>(
      name('lock_head'),
      sql`SELECT sequence, mac, ${now} AS at FROM ${headTable} WHERE chain = ${value('chain')} FOR UPDATE`,
    ),
    append: statement(
      name('append'),
      sql`
WITH entry AS (${insertEntry})
UPDATE ${headTable} AS head SET sequence = entry.sequence, mac = entry.mac FROM entry WHERE head.chain = entry.chain`,
    ),
    begin: statement(
      name('begin'),
      sql`
WITH entry AS (${insertEntry})
INSERT INTO ${headTable} (chain, sequence, mac) SELECT chain, sequence, mac FROM entry`,
    ),
  }
}

const statements = { stores: prepareStatements('stores'), vault: prepareStatements('vault') }

/** Opens the audit log of a database and starts it if it has no chains. A log with missing chains is not restarted. */
export async function openAuditChain(
  database: PostgresDatabase,
  log: AuditLogName,
  options: { readonly seal: AuditSeal; readonly instant: () => Date | null },
): Promise<AuditChain> {
  const { seal, instant } = options
  const { isBegun, lockBeginning, findNewest, lockHead, append, begin } = statements[log]
  const begun = async (on: Queryable) => (await isBegun.rows(on, {}))[0]?.begun === true

  if (!(await database.run(begun))) {
    await database.transaction(async (on) => {
      await lockBeginning.rows(on, {})
      if (await begun(on)) return
      const [newest] = await findNewest.rows(on, { now: instant() })
      if (newest === undefined) throw new StorageError('STORE_UNAVAILABLE')
      const event = {
        ...({ kind: 'CHAIN_STARTED', atMs: newest.at.getTime(), appId: null, userId: null } as const),
        subject: String(newest.position),
        contentDigest: seal.digest(null),
      }
      for (let chain = 0; chain < auditChains; chain++) {
        await begin.count(on, parametersOf(seal.next(log, chain, null, event)))
      }
    })
  }

  return {
    seal,
    async append(on, about, eventAt, actor) {
      const chain = seal.chainOf(about, auditChains)
      const [head] = await lockHead.rows(on, { chain, now: instant() })
      if (head === undefined) throw new StorageError('AUDIT_INCOMPLETE')
      const { sequence, mac, at } = head
      const entry = seal.next(
        log,
        chain,
        { chain, sequence, mac: mac.toString('hex') },
        actedBy(eventAt(at.getTime()), actor),
      )
      await append.count(on, parametersOf(entry))
    },
  }
}

function parametersOf({ contentDigest, previousMac, mac, atMs, ...entry }: AuditEntry) {
  const bytes = (hex: string) => Buffer.from(hex, 'hex')
  return {
    ...entry,
    at: new Date(atMs),
    contentDigest: bytes(contentDigest),
    previousMac: bytes(previousMac),
    mac: bytes(mac),
  }
}
