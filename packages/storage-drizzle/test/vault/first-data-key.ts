import type { ClearValue } from '@kyc-relay/kyc-core/internal'
import { expect } from 'vitest'
import type { StoredVault } from '../../src/vault/vault.js'
import { uuid } from '../samples.js'

const owner = { appId: uuid('app'), userId: uuid('new user') }
const ssn = { kind: 'ssn', value: '078-05-1120' } as const
const why = { owner, actor: 'ops@example.com', purpose: 'case 1' }
const many = 20

/** The data keys and tokens that a vault keeps, counted beside it. */
interface Counts {
  readonly dataKeys: number
  readonly tokens: number
}

/** @param refuse Makes the database refuse every token from now on; the function it gives ends that. */
export async function expectNoKeyWithoutTokens(
  vault: StoredVault,
  count: () => Promise<Counts>,
  refuse: () => Promise<() => Promise<void>>,
): Promise<void> {
  const allow = await refuse()
  await expect(vault.tokenize(owner, [ssn])).rejects.toMatchObject({ code: 'VAULT_UNAVAILABLE' })
  expect(await count()).toEqual({ dataKeys: 0, tokens: 0 })
  await allow()
  await vault.tokenize(owner, [ssn])
  expect(await count()).toEqual({ dataKeys: 1, tokens: 1 })
}

/** Fingerprints find equal values inside an app, and tell nothing across apps. */
export async function expectFingerprintsOfEachApp(vault: StoredVault, list: () => Promise<readonly string[]>) {
  const document = { kind: 'document_number', value: 'X9Y8Z7W6', documentClass: 'PASSPORT', issuingCountryCode: 'US' }
  const values = [ssn, document as ClearValue]
  await vault.tokenize(owner, values)
  await vault.tokenize({ ...owner, userId: uuid('other user') }, values)
  expect(new Set(await list()).size).toBe(2)
  await vault.tokenize({ ...owner, appId: uuid('other app') }, values)
  expect(new Set(await list()).size).toBe(4)
}

/** What is sealed under a data key that lost against another first one would never open. */
export async function expectOneKeyForAll(vault: StoredVault, count: () => Promise<Counts>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: many }, () => vault.tokenize(owner, [ssn])))
  expect(await count()).toEqual({ dataKeys: 1, tokens: many })
  for (const [answer] of answers) {
    if (answer?.kind !== 'ssn') throw new Error('kind')
    expect(await vault.reveal({ ...why, token: answer.token })).toBe(ssn.value)
  }
}
