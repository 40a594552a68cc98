import { readFileSync } from 'node:fs'
import type pg from 'pg'

const script = readFileSync(new URL('../../../roles/postgres-runtime.sql', import.meta.url), 'utf8')

/** A user with the rights of the script that is shipped, and nothing else. */
export interface RuntimeUser {
  /** Connection string of the user. */
  readonly connectionString: string
  /** Removes the user and its group. */
  remove(): Promise<void>
}

/** Runs the script as the owner and makes a user of its role. Roles are shared by all databases of a server. */
export async function makeRuntimeUser(owner: pg.Pool, connectionString: string, ownTables = ''): Promise<RuntimeUser> {
  const url = new URL(connectionString)
  // Database names of the tests are unique.
  const role = `${url.pathname.slice(1)}_role`
  const user = `${url.pathname.slice(1)}_user`
  const client = await owner.connect()
  try {
    const settings = `SELECT set_config('kyc_relay.role', $1, false), set_config('kyc_relay.own_tables', $2, false)`
    await client.query(settings, [role, ownTables])
    await client.query(script)
    await client.query(script)
    await client.query(`CREATE ROLE ${user} LOGIN PASSWORD '${user}' IN ROLE ${role}`)
  } finally {
    client.release(true)
  }
  url.username = url.password = user
  return {
    connectionString: url.href,
    async remove() {
      await owner.query(`DROP OWNED BY ${user}, ${role}`)
      await owner.query(`DROP ROLE ${user}, ${role}`)
    },
  }
}
