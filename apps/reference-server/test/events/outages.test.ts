import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Runs statements on one of the server's databases, over a connection of our own. */
function change(name: 'kyc.db' | 'vault.db', statements: string): void {
  const database = new Database(`${server.dataDir}/${name}`)
  database.exec(statements)
  database.close()
}

/** Rows of every table, the sequence counters left out. */
function rows(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of ['kyc.db', 'vault.db']) {
    const database = new Database(`${server.dataDir}/${name}`, { readonly: true })
    const tables = database
      .prepare<[], { name: string }>("select name from sqlite_master where type = 'table' and name like 'kyc_relay%'")
      .all()
    for (const table of tables) {
      counts[`${name} ${table.name}`] =
        database.prepare<[], { rows: number }>(`select count(*) as rows from "${table.name}"`).get()?.rows ?? -1
    }
    database.close()
  }
  return counts
}

const user = (index: number) => server.demo.users[index]?.accessToken ?? null
const submit = (variables: Record<string, unknown>, token = user(0)) =>
  server.graphql('secure', { query: submissionDocument, variables }, { token })

const moveAway = (table: string) => `alter table ${table} rename to kyc_relay_moved_away`
const putBack = (table: string) => `alter table kyc_relay_moved_away rename to ${table}`
const fail = (table: string) =>
  `create trigger kyc_relay_fails before insert on ${table} begin select raise(abort, 'broken by the test'); end`

describe('a submission while', () => {
  it.each([
    ['the vault takes no rows', 'vault.db', fail('kyc_relay_vault_tokens'), 'drop trigger kyc_relay_fails', 503],
    [
      'the vault is unreadable',
      'vault.db',
      moveAway('kyc_relay_vault_data_keys'),
      putBack('kyc_relay_vault_data_keys'),
      503,
    ],
    ['the store is unreadable', 'kyc.db', moveAway('kyc_relay_verifications'), putBack('kyc_relay_verifications'), 503],
    ['the store takes no records', 'kyc.db', fail('kyc_relay_verifications'), 'drop trigger kyc_relay_fails', 500],
    ['the store takes no audit entry', 'kyc.db', fail('kyc_relay_audit_entries'), 'drop trigger kyc_relay_fails', 500],
  ] as const)('%s answers an outage, writes nothing but unreferenced tokens, and works again after', async (...row) => {
    const [, name, breaks, mends, status] = row
    const token = (
      await server.call(`${server.demo.internalUrl}/internal/v1/access-tokens`, {
        token: server.demo.internalToken,
        body: { appId: server.demo.apps[0]?.appId, scopes: ['VERIFY_KYC'] },
      })
    ).json.accessToken as string
    const before = rows()
    const variables = submissionVariables()
    change(name, breaks)
    const answer = await submit(variables, token)
    change(name, mends)
    expectGraphqlRefusal(answer, status, status === 503 ? 'UNAVAILABLE' : 'INTERNAL')
    expect(answer.headers['retry-after']).toBe('5')
    const after = rows()
    const changed = Object.keys(after).filter((table) => after[table] !== before[table])
    // Tokens without a verification are removed after 25 hours.
    expect(changed.filter((table) => !table.startsWith('vault.db'))).toEqual([])
    if (name === 'vault.db') expect(changed.filter((table) => table.includes('tokens'))).toEqual([])
    const again = await submit(variables, token)
    expect(again.json.data.postKycVerification.status).toBe('VERIFIED')
    expect(again.json.extensions).toBeUndefined()
  })

  it('the access tokens cannot be looked up is an outage, not a refusal', async () => {
    change('kyc.db', moveAway('kyc_relay_access_tokens'))
    const answers = [await submit(submissionVariables()), await server.graphql('api', { query: '{viewer{userId}}' })]
    change('kyc.db', putBack('kyc_relay_access_tokens'))
    for (const answer of answers) {
      expectGraphqlRefusal(answer, 503, 'UNAVAILABLE')
      expect(answer.headers['retry-after']).toBe('5')
    }
    expect((await submit(submissionVariables())).status).toBe(200)
  })
})

describe('reading while the store is down', () => {
  it('is an outage and says nothing of the database', async () => {
    change('kyc.db', moveAway('kyc_relay_verifications'))
    const answer = await server.graphql('api', { query: '{ kycVerifications { nodes { status } } }' })
    change('kyc.db', putBack('kyc_relay_verifications'))
    expectGraphqlRefusal(answer, 503, 'UNAVAILABLE')
    expect(answer.text).not.toMatch(/table|sqlite|verifications/i)
  })

  it('a replay cannot be answered either, and is afterwards', async () => {
    const variables = submissionVariables()
    const first = await submit(variables)
    change('kyc.db', moveAway('kyc_relay_verifications'))
    const answer = await submit(variables)
    change('kyc.db', putBack('kyc_relay_verifications'))
    expectGraphqlRefusal(answer, 503, 'UNAVAILABLE')
    expect((await submit(variables)).json.data).toEqual(first.json.data)
  })

  it('the dry run and the health check go on', async () => {
    const query = submissionDocument
      .replace('postKycVerification', 'validateKycVerification')
      .replace('status verificationId message', 'valid')
    change('vault.db', moveAway('kyc_relay_vault_data_keys'))
    const dryRun = await server.graphql('secure', { query, variables: submissionVariables() })
    const health = await server.call(`${server.demo.secureUrl}/healthz`)
    change('vault.db', putBack('kyc_relay_vault_data_keys'))
    expect(dryRun.json.data).toEqual({ validateKycVerification: { valid: true } })
    expect(health.status).toBe(200)
  })
})
