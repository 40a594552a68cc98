import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'

const queries = {
  events: 'SELECT event_id, source_event_id, app_id FROM kyc_relay_events',
}

/** The two SQLite files of a data folder whose server has ended. */
export function openFiles(dataDir) {
  const on = (name, readonly, work) => {
    const database = new Database(path.join(dataDir, name), { readonly })
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  const select = (name) => async (sql) => on(name, true, (database) => database.prepare(sql).all())
  return {
    queries,
    ask: select('kyc.db'),
    askVault: select('vault.db'),
    run: (statements) => on('kyc.db', false, (database) => database.exec(statements.join(';'))),
    /** Removes the counts of commits beside the files. */
    forgetCommits() {
      for (const name of readdirSync(dataDir)) if (name.endsWith('commits')) rmSync(path.join(dataDir, name))
    },
    /** A sentence for each file that SQLite does not accept. */
    integrity: () =>
      ['kyc.db', 'vault.db'].flatMap((name) => {
        const said = on(name, true, (database) => database.pragma('integrity_check', { simple: true }))
        return said === 'ok' ? [] : [`${name} is damaged`]
      }),
  }
}
