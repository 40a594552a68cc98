import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
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
import { beforeAll, describe, test } from 'vitest'
import { createSqliteStorage, createSqliteVault } from '../src/sqlite/index.js'
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
import { testFolder } from './engine/sqlite/sqlite-files.js'
import { withBlanking } from './with-blanking.js'

/** A migrated file that nobody has open: to copy it is much quicker than to migrate a new one for every case. */
let migrated: string
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-sqlite-'))
  migrated = join(folder, 'kyc.db')
  await (await createSqliteStorage({ path: migrated })).close()
  return () => rmSync(folder, { recursive: true, force: true })
})

/** Answers where a migrated file of the test's own lies. */
function newFile(): string {
  const path = join(testFolder(), 'kyc.db')
  copyFileSync(migrated, path)
  return path
}

/** A clock that only `advance` moves, and the stores of one file of its own. */
function newHarness(path = newFile()) {
  let now = startOfTests.getTime()
  return {
    open: (options: { readonly kycStatusEvents?: boolean } = {}) =>
      createSqliteStorage({ path }, { ...options, audit: auditSeal, clock: () => new Date(now) }),
    advance: (ms: number) => {
      now += ms
      return Promise.resolve()
    },
    now: () => new Date(now),
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

describe('PhotoJobStore', () => {
  test.each(photoJobStoreCases)('$id $name', async ({ run }) => {
    const path = newFile()
    const { open, ...time } = newHarness(path)
    await run({
      open: async () => {
        const storage = await open()
        return { ...storage, close: () => storage.close() }
      },
      ...time,
      async readSealedUrl(photoJobId) {
        const database = new Database(path, { readonly: true })
        const find = database.prepare('SELECT sealed_url FROM kyc_relay_photo_jobs WHERE photo_job_id = ?').pluck()
        const sealed = find.get(photoJobId)
        database.close()
        return sealed instanceof Uint8Array ? new Uint8Array(sealed) : null
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
    const path = newFile()
    await run({
      seal: auditSeal,
      open: async () => {
        const { verifications, audit, close } = await createSqliteStorage({ path }, { audit: auditSeal })
        return { verifications, log: audit!, close }
      },
      openWithoutLog: () => createSqliteStorage({ path }),
    })
  })
})

function newVaultHarness() {
  const folder = testFolder()
  const path = join(folder, 'vault.db')
  let now = startOfTests.getTime()
  const source = { randomBytes, now: startOfTests }
  let keys = createKeyFile(source)

  function behind<T>(work: (database: Database.Database) => T): Promise<T> {
    const database = new Database(path)
    try {
      return Promise.resolve(work(database))
    } finally {
      database.close()
    }
  }

  return {
    async open() {
      const cipher = createLocalCipher({ keys: parseKeyFile(keys) })
      const vault = await createSqliteVault(
        { path },
        { cipher, audit: auditSeal, clock: () => new Date(now), randomBytes },
      )
      return { vault, close: () => vault.close() }
    },
    advance(ms) {
      now += ms
      return Promise.resolve()
    },
    storage: {
      readSealed: (token) =>
        behind((database) => {
          const sealed = database
            .prepare('SELECT sealed FROM kyc_relay_vault_tokens WHERE token = ?')
            .pluck()
            .get(token)
          return sealed instanceof Uint8Array ? new Uint8Array(sealed) : null
        }),
      writeSealed: (token, sealed) =>
        behind((database) => {
          database.prepare('UPDATE kyc_relay_vault_tokens SET sealed = ? WHERE token = ?').run(sealed, token)
        }),
      readEverything: () =>
        Promise.resolve(Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))))),
      listAudit: () =>
        behind((database) =>
          database
            .prepare<[], { actor: string; purpose: string }>(
              'SELECT actor, purpose FROM kyc_relay_vault_audit ORDER BY position',
            )
            .all(),
        ),
      failAudit: (fails) =>
        behind((database) => {
          database.exec('DROP TRIGGER IF EXISTS fail_audit')
          if (!fails) return
          database.exec(
            `CREATE TRIGGER fail_audit BEFORE INSERT ON kyc_relay_vault_audit BEGIN SELECT RAISE(ABORT, 'full'); END`,
          )
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
  } satisfies PiiVaultHarness
}

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
