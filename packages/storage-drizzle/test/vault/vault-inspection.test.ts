import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import type { StoredVault } from '../../src/internal/index.js'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createPostgresVault } from '../../src/postgres/index.js'
import { createSqliteVault } from '../../src/sqlite/index.js'
import { auditSeal } from '../audit/audit-samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'
import { startOfTests, uuid } from '../samples.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'

const source = { randomBytes, now: startOfTests }
const owner = { appId: uuid('app'), userId: uuid('user') }
const other = { appId: uuid('other app'), userId: uuid('user') }
const unknown = `tok_document_number_${'0'.repeat(26)}` as const

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

describe.each(['sqlite', 'postgres'] as const)('looking into a vault on %s', (engine) => {
  let keys: string
  let open: () => Promise<StoredVault>

  beforeEach(async () => {
    keys = createKeyFile(source)
    const options = () => ({ cipher: createLocalCipher({ keys: parseKeyFile(keys) }), audit: auditSeal })
    const path = join(testFolder(), 'vault.db')
    const connectionString = engine === 'postgres' ? await postgres.createDatabase() : ''
    open = async () => {
      const vault =
        engine === 'sqlite'
          ? await createSqliteVault({ path }, options())
          : await createPostgresVault({ connectionString }, options())
      onTestFinished(() => vault.close())
      return vault
    }
  })

  async function tokenFor(vault: StoredVault, of: typeof owner) {
    const [made] = await vault.tokenize(of, [{ kind: 'ssn', value: '078051120' }])
    if (made?.kind !== 'ssn') throw new Error('no token')
    return made.token
  }

  test('lists the apps that have anything of a user, until it is erased', async () => {
    const vault = await open()
    const third = { appId: uuid('third app'), userId: uuid('somebody else') }
    const list = (userId: string) => vault.inspection.listAppsOfUser(userId)
    expect(await list(owner.userId)).toEqual([])
    for (const one of [owner, other, third]) await tokenFor(vault, one)
    expect(await list(owner.userId)).toEqual([owner.appId, other.appId].sort())
    expect(await list(third.userId)).toEqual([third.appId])
    await vault.eraseOwner(other)
    expect(await list(owner.userId)).toEqual([owner.appId])
  })

  test('counts records that lack a data key or a token, each once', async () => {
    const vault = await open()
    const [first, second] = [await tokenFor(vault, owner), await tokenFor(vault, owner)]
    const theirs = await tokenFor(vault, other)
    const { inspection } = vault
    const lacking = (...records: Parameters<typeof inspection.countLacking>[0]) => inspection.countLacking(records)
    expect(await lacking()).toBe(0)
    expect(await lacking({ ...owner, tokens: [first, second] }, { ...owner, tokens: [] })).toBe(0)
    expect(await lacking({ ...owner, tokens: [first, unknown] }, { ...owner, tokens: [second] })).toBe(1)
    expect(await lacking({ ...owner, tokens: [unknown, unknown] })).toBe(1)
    expect(await lacking({ ...owner, tokens: [theirs] })).toBe(1)
    const stranger = { appId: owner.appId, userId: uuid('stranger') }
    expect(await lacking({ ...stranger, tokens: [] }, { ...stranger, tokens: [first] })).toBe(2)
  })

  test('counts a token in quarantine as kept', async () => {
    const vault = await open()
    const token = await tokenFor(vault, owner)
    await vault.quarantine({ tokens: [{ ...owner, token }], mostInADay: 1 })
    expect(await vault.inspection.countLacking([{ ...owner, tokens: [token] }])).toBe(0)
    await vault.destroyQuarantined({ tokens: [{ ...owner, token }], ageMs: -1 })
    expect(await vault.inspection.countLacking([{ ...owner, tokens: [token] }])).toBe(1)
  })

  test('leaves out an owner who was erased, also one who came back, and no other', async () => {
    const vault = await open()
    const [mine, theirs] = [await tokenFor(vault, owner), await tokenFor(vault, other)]
    await vault.eraseOwner(owner)
    const records = [
      { ...owner, tokens: [mine] },
      { ...other, tokens: [theirs, unknown] },
    ]
    expect(await vault.inspection.countLacking(records)).toBe(1)
    await tokenFor(vault, owner)
    expect(await vault.inspection.countLacking(records)).toBe(1)
  })

  test('finds the newest erasure of an owner, and none of another', async () => {
    const vault = await open()
    await tokenFor(vault, owner)
    await tokenFor(vault, other)
    expect(await vault.inspection.findErasure(owner)).toBeNull()
    await vault.eraseOwner(owner)
    const first = await vault.inspection.findErasure(owner)
    expect(first).toBeInstanceOf(Date)
    await tokenFor(vault, owner)
    await vault.eraseOwner(owner)
    const second = await vault.inspection.findErasure(owner)
    expect(Number(second)).toBeGreaterThanOrEqual(Number(first))
    expect(await vault.inspection.findErasure(other)).toBeNull()
  })

  test('lists users of one app who share a value, page by page, and nobody of another app', async () => {
    const vault = await open()
    const passport = { documentClass: 'PASSPORT', issuingCountryCode: 'US' }
    const tokenize = (appId: string, user: string, ssn: string, number: string) =>
      vault.tokenize({ appId: uuid(appId), userId: uuid(user) }, [
        { kind: 'ssn', value: ssn },
        { kind: 'document_number', value: number, ...passport },
      ])
    await tokenize('app', 'a', '078051120', 'X1')
    await tokenize('app', 'a', '078051120', 'X1')
    await tokenize('app', 'b', '078051120', 'X2')
    await tokenize('app', 'c', '219099999', 'X2')
    await tokenize('app', 'd', '078051120', 'X4')
    await tokenize('other', 'e', '078051120', 'X1')
    await tokenize('other', 'f', '457555462', 'X9')
    const actor = { name: 'operator:Ada', reason: null }
    const list = (limit: number, skip = 0) => vault.inspection.listShared({ appId: uuid('app'), limit, skip, actor })
    const users = (...names: string[]) => names.map((name) => uuid(name)).sort()
    const all = await list(10)
    expect(all).toHaveLength(2)
    expect(all).toEqual(
      expect.arrayContaining([
        { field: 'ssn', userIds: users('a', 'b', 'd') },
        { field: 'document_number', userIds: users('b', 'c') },
      ]),
    )
    expect([...(await list(1)), ...(await list(1, 1))]).toEqual(all)
    expect(await list(1, 2)).toEqual([])
    expect(await vault.inspection.listShared({ appId: uuid('other'), limit: 10, skip: 0, actor })).toEqual([])
    await expect(list(0)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    const audit = vault.audit!
    const entries = await Promise.all(
      (await audit.listHeads()).map(({ chain }) => audit.listEntries({ chain, after: 0, limit: 100 })),
    )
    const recorded = entries.flat().filter(({ kind }) => kind === 'DUPLICATES_LISTED')
    expect(recorded.map(({ appId, userId, actor: name, subject }) => [appId, userId, name, subject]).sort()).toEqual(
      [
        ...['0', '0', '1', '2'].map((skip) => [uuid('app'), null, 'operator:Ada', skip]),
        [uuid('other'), null, 'operator:Ada', '0'],
      ].sort(),
    )
  })

  test('is empty until the first data key, and after the erasure of everybody', async () => {
    const vault = await open()
    expect(await vault.inspection.isEmpty()).toBe(true)
    await tokenFor(vault, owner)
    expect(await vault.inspection.isEmpty()).toBe(false)
    await vault.eraseOwner(owner)
    expect(await vault.inspection.isEmpty()).toBe(true)
  })

  test('names each wrapping key once', async () => {
    const before = await open()
    expect(await before.inspection.listWrappingKeyIds()).toEqual([])
    await tokenFor(before, owner)
    const { activeSealKeyId: former } = parseKeyFile(keys)
    keys = addSealKey(keys, source)
    const after = await open()
    await tokenFor(after, other)
    await tokenFor(after, { appId: uuid('app'), userId: uuid('third') })
    const expected = [former, parseKeyFile(keys).activeSealKeyId].sort()
    expect(await after.inspection.listWrappingKeyIds()).toEqual(expected)
    await after.rewrapDataKeys({ limit: 10 })
    expect(await after.inspection.listWrappingKeyIds()).toEqual([parseKeyFile(keys).activeSealKeyId])
  })

  test('keeps the first check of each key', async () => {
    const { inspection } = await open()
    const seal = { keyId: 'seal-1', purpose: 'seal', checkValue: 'one' } as const
    const audit = { keyId: 'audit-1', purpose: 'audit', checkValue: 'two' } as const
    await inspection.addKeyChecks([])
    expect(await inspection.listKeyChecks()).toEqual([])
    await inspection.addKeyChecks([seal, audit])
    await inspection.addKeyChecks([{ ...seal, checkValue: 'another' }])
    expect(await inspection.listKeyChecks()).toEqual([audit, seal])
  })
})
