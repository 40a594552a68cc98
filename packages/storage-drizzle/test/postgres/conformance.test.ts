import { randomBytes } from 'node:crypto'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { piiVaultCases, verificationStoreCases, type PiiVaultHarness } from '@kyc-relay/kyc-core/testing'
import { webhookStoreCases } from '@kyc-relay/webhooks/testing'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { createPostgresStorage, createPostgresVault } from '../../src/postgres/index.js'
import { appDirectoryCases } from '../app-directory-cases.js'
import { endpoint, startOfTests } from '../samples.js'
import { transactionStoreCases } from '../transaction-store-cases.js'
import { emptyTables, startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
let connectionString: string

beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
})
afterAll(() => server.stop())
beforeEach(() => emptyTables(connectionString))

/** A clock that only `advance` moves, and the stores of one database. */
function newHarness() {
  let now = startOfTests.getTime()
  return {
    open: () => createPostgresStorage({ connectionString, maxConnections: 5 }, { clock: () => new Date(now) }),
    advance: (ms: number) => {
      now += ms
      return Promise.resolve()
    },
  }
}

describe('VerificationStore', () => {
  test.each(verificationStoreCases)('$id $name', async ({ run }) => {
    const { open } = newHarness()
    await run({
      open: async () => {
        const storage = await open()
        return { store: storage.verifications, close: () => storage.close() }
      },
    })
  })
})

describe('WebhookStore', () => {
  test.each(webhookStoreCases)('$id $name', async ({ run }) => {
    const { open, advance } = newHarness()
    await run({
      open: async () => {
        const storage = await open()
        return { store: storage.webhooks, close: () => storage.close() }
      },
      advance,
    })
  })
})

describe('AppDirectory', () => {
  test.each(appDirectoryCases)('$name', async ({ run }) => {
    const storage = await newHarness().open()
    await run(storage.apps)
    await storage.close()
  })
})

describe('TransactionStore', () => {
  test.each(transactionStoreCases)('$name', async ({ run }) => {
    const storage = await newHarness().open()
    await storage.webhooks.registerEndpoint(endpoint('a'), 50)
    await run(storage)
    await storage.close()
  })
})

function newVaultHarness(): PiiVaultHarness {
  let now = startOfTests.getTime()
  const source = { randomBytes, now: startOfTests }
  let keys = createKeyFile(source)

  async function behind<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  return {
    async open() {
      const cipher = createLocalCipher({ keys: parseKeyFile(keys) })
      const location = { connectionString, maxConnections: 5 }
      const vault = await createPostgresVault(location, { cipher, clock: () => new Date(now), randomBytes })
      return { vault, close: () => vault.close() }
    },
    advance(ms) {
      now += ms
      return Promise.resolve()
    },
    storage: {
      readSealed: (token) =>
        behind(async (client) => {
          const { rows } = await client.query<{ sealed: Buffer | null }>(
            'SELECT sealed FROM kyc_relay_vault_tokens WHERE token = $1',
            [token],
          )
          const sealed = rows[0]?.sealed
          return sealed ? new Uint8Array(sealed) : null
        }),
      writeSealed: (token, sealed) =>
        behind(async (client) => {
          await client.query('UPDATE kyc_relay_vault_tokens SET sealed = $1 WHERE token = $2', [
            Buffer.from(sealed),
            token,
          ])
        }),
      readEverything: () =>
        behind(async (client) => {
          const tables = ['data_keys', 'tokens', 'audit'].map((name) => `kyc_relay_vault_${name}`)
          const parts: Buffer[] = []
          for (const table of tables) {
            const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${table}`)
            for (const cell of rows.flatMap((row) => Object.values(row))) {
              parts.push(Buffer.isBuffer(cell) ? cell : Buffer.from(String(cell)))
            }
          }
          return Buffer.concat(parts)
        }),
      listAudit: () =>
        behind(async (client) => {
          const order = 'SELECT actor, purpose FROM kyc_relay_vault_audit ORDER BY position'
          return (await client.query<{ actor: string; purpose: string }>(order)).rows
        }),
      failAudit: (fails) =>
        behind(async (client) => {
          await client.query('ALTER TABLE kyc_relay_vault_audit DROP CONSTRAINT IF EXISTS fail_audit')
          if (fails)
            await client.query('ALTER TABLE kyc_relay_vault_audit ADD CONSTRAINT fail_audit CHECK (false) NOT VALID')
        }),
    },
    rotation: {
      addKey() {
        keys = addSealKey(keys, source)
        return Promise.resolve()
      },
      dropFormerKeys() {
        const file = JSON.parse(keys) as { activeSealKeyId: string; keys: { id: string; purpose: string }[] }
        const kept = file.keys.filter(({ id, purpose }) => purpose !== 'seal' || id === file.activeSealKeyId)
        keys = JSON.stringify({ ...file, keys: kept })
        return Promise.resolve()
      },
    },
  }
}

describe('PiiTokenizer, TokenInspector and PiiCustodian', () => {
  test.each(piiVaultCases)('$id $name', ({ run }) => run(newVaultHarness()))
})
