import { randomBytes } from 'node:crypto'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import {
  auditLogCases,
  kycStatusOutboxCases,
  photoJobStoreCases,
  piiVaultCases,
  verificationStoreCases,
  type PiiVaultHarness,
} from '@kyc-relay/kyc-core/testing'
import {
  bodySealerCases,
  feedStoreCases,
  recoveryStoreCases,
  transactionStoreCases,
  webhookStoreCases,
} from '@kyc-relay/webhooks/testing'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import type { PostgresLocation } from '../src/engine/postgres/pool.js'
import { createPostgresStorage, createPostgresVault } from '../src/postgres/index.js'
import {
  appDirectoryCases,
  retentionCases,
  statusCorrectionCases,
  userErasureCases,
  userRecordsCases,
  userRetentionCases,
} from '../src/testing/index.js'
import { auditSeal } from './audit/audit-samples.js'
import { startOfTests } from './samples.js'
import { emptyTables } from './engine/postgres/postgres-server.js'
import { withBlanking } from './with-blanking.js'

/** The database that the cases run on. */
export interface ConformanceSetup {
  /** Two handles, as two processes would have them; kept over all cases. */
  readonly locations: readonly PostgresLocation[]
  /** Looks into the tables and empties them. */
  readonly owner: pg.Pool
  /** Whether the stores run in the mode for distributed tables. Default: false. */
  readonly distributed?: boolean
  /** Empties the tables. Default: {@link emptyTables}. */
  readonly empty?: () => Promise<void>
  end(): Promise<void>
}

let setup: ConformanceSetup

function locationFor(handle: number): PostgresLocation {
  const location = setup.locations[handle % setup.locations.length]
  if (location === undefined) throw new Error('no location')
  return location
}

/** A clock that only `advance` moves, and the stores of one database. */
function newHarness() {
  let now = startOfTests.getTime()
  let opened = 0
  return {
    open: (options: { readonly kycStatusEvents?: boolean } = {}) =>
      createPostgresStorage(locationFor(opened++), {
        ...options,
        audit: auditSeal,
        clock: () => new Date(now),
        distributed: setup.distributed ?? false,
        migrations: 'require',
      }),
    advance: (ms: number) => {
      now += ms
      return Promise.resolve()
    },
    now: () => new Date(now),
  }
}

function newVaultHarness() {
  let now = startOfTests.getTime()
  let opened = 0
  const source = { randomBytes, now: startOfTests }
  let keys = createKeyFile(source)

  return {
    async open() {
      const cipher = createLocalCipher({ keys: parseKeyFile(keys) })
      const vault = await createPostgresVault(locationFor(opened++), {
        cipher,
        audit: auditSeal,
        clock: () => new Date(now),
        randomBytes,
        distributed: setup.distributed ?? false,
        migrations: 'require',
      })
      return { vault, close: () => vault.close() }
    },
    advance(ms) {
      now += ms
      return Promise.resolve()
    },
    storage: {
      async readSealed(token) {
        const { rows } = await setup.owner.query<{ sealed: Buffer | null }>(
          'SELECT sealed FROM kyc_relay_vault_tokens WHERE token = $1',
          [token],
        )
        const sealed = rows[0]?.sealed
        return sealed ? new Uint8Array(sealed) : null
      },
      async writeSealed(token, sealed) {
        const update = 'UPDATE kyc_relay_vault_tokens SET sealed = $1 WHERE token = $2'
        await setup.owner.query(update, [Buffer.from(sealed), token])
      },
      async readEverything() {
        const parts: Buffer[] = []
        for (const table of ['data_keys', 'tokens', 'audit']) {
          const { rows } = await setup.owner.query<Record<string, unknown>>(`SELECT * FROM kyc_relay_vault_${table}`)
          for (const cell of rows.flatMap((row) => Object.values(row))) {
            parts.push(Buffer.isBuffer(cell) ? cell : Buffer.from(String(cell)))
          }
        }
        return Buffer.concat(parts)
      },
      async listAudit() {
        const inOrder = 'SELECT actor, purpose FROM kyc_relay_vault_audit ORDER BY position'
        return (await setup.owner.query<{ actor: string; purpose: string }>(inOrder)).rows
      },
      async failAudit(fails) {
        const change = fails ? 'ADD CONSTRAINT fail_audit CHECK (false) NOT VALID' : 'DROP CONSTRAINT fail_audit'
        await setup.owner.query(`ALTER TABLE kyc_relay_vault_audit ${change}`)
      },
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
  } satisfies PiiVaultHarness
}

/** Registers every case of every port; `start` makes the database. */
export function testConformance(start: () => Promise<ConformanceSetup>): void {
  beforeAll(async () => {
    setup = await start()
  })
  afterAll(() => setup.end())
  beforeEach(() => setup.empty?.() ?? emptyTables(setup.owner))

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

  describe('PhotoJobStore', () => {
    test.each(photoJobStoreCases)('$id $name', async ({ run }) => {
      const { open, ...time } = newHarness()
      await run({
        open: async () => {
          const storage = await open()
          return { ...storage, close: () => storage.close() }
        },
        ...time,
        async readSealedUrl(photoJobId) {
          const find = 'SELECT sealed_url FROM kyc_relay_photo_jobs WHERE photo_job_id = $1'
          const { rows } = await setup.owner.query<{ sealed_url: Buffer | null }>(find, [photoJobId])
          const sealed = rows[0]?.sealed_url
          return sealed ? new Uint8Array(sealed) : null
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

  describe('TransactionStore', () => {
    test.each(transactionStoreCases)('$id $name', async ({ run }) => {
      const { open } = newHarness()
      await run({
        open: async () => {
          const { transactions: store, webhooks, close } = await open()
          return { store, webhooks, close }
        },
      })
    })
  })

  describe('FeedStore', () => {
    test.each(feedStoreCases)('$id $name', async ({ run }) => {
      const { open, advance } = newHarness()
      await run({ open: async () => withBlanking(await open(), 'feed', advance), advance })
    })
  })

  describe('RecoveryStore', () => {
    test.each(recoveryStoreCases)('$id $name', async ({ run }) => {
      const { open, advance } = newHarness()
      await run({ open: async () => withBlanking(await open(), 'recoveries', advance), advance })
    })
  })

  describe('KycStatusOutbox', () => {
    test.each(kycStatusOutboxCases)('$id $name', async ({ run }) => {
      const { open } = newHarness()
      await run({
        open: async () => {
          const { verifications, statusOutbox: outbox, close } = await open({ kycStatusEvents: true })
          return { verifications, outbox, close }
        },
      })
    })
  })

  describe('KycStatusCorrections', () => {
    test.each(statusCorrectionCases)('$id $name', async ({ run }) => {
      const harness = newHarness()
      await run({ ...harness, open: () => harness.open({ kycStatusEvents: true }) })
    })
  })

  describe.each([
    ['AppDirectory', appDirectoryCases],
    ['Retention', retentionCases],
    ['UserErasure', userErasureCases],
    ['UserRetention', userRetentionCases],
    ['UserRecords', userRecordsCases],
  ])('%s', (_port, cases) => {
    for (const { id, name, run } of cases) test(`${id} ${name}`, () => run(newHarness()))
  })

  describe('AuditLog', () => {
    test.each(auditLogCases)('$id $name', async ({ run }) => {
      let opened = 0
      await run({
        seal: auditSeal,
        open: async () => {
          const location = locationFor(opened++)
          const { verifications, audit, close } = await createPostgresStorage(location, {
            audit: auditSeal,
            distributed: setup.distributed ?? false,
          })
          return { verifications, log: audit!, close }
        },
        openWithoutLog: () => createPostgresStorage(locationFor(0)),
      })
    })
  })

  describe('PiiTokenizer, TokenInspector, PiiRevealer and PiiEraser', () => {
    test.each(piiVaultCases)('$id $name', ({ run }) => run(newVaultHarness()))
  })

  describe('BodySealer', () => {
    test.each(bodySealerCases)('$id $name', ({ run }) => {
      const { open, advance } = newVaultHarness()
      return run({
        async open() {
          const { vault, close } = await open()
          return { sealer: vault.bodySealer, eraseOwner: async (owner) => void (await vault.eraseOwner(owner)), close }
        },
        advance,
      })
    })
  })
}
