import { randomBytes } from 'node:crypto'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { expect } from 'vitest'
import { uuid } from '../src/testing/sample-records.js'
import type { StoredVault } from '../src/vault/vault.js'

const owner = { appId: uuid('app'), userId: uuid('user') }
const neighbour = { appId: uuid('app'), userId: uuid('neighbour') }
const token = (letter: string) => `tok_document_number_${letter.repeat(32)}`
const before = token('b')
const meanwhile = token('m')
const ofNeighbour = token('n')

/** How an engine writes what its SQL does not share with the other. */
export interface Literals {
  readonly bytes: string
  readonly instant: string
}

function insertToken(of: typeof owner, name: string, { bytes, instant }: Literals): string {
  return `INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, created_at)
    VALUES ('${name}', '${of.appId}', '${of.userId}', 'document_number', ${bytes}, ${instant});`
}

/** Two owners with a token each, as the version before references to data keys wrote them. */
export function rowsOf0002(literals: Literals): string {
  const { bytes, instant } = literals
  const keys = [owner, neighbour].map(
    ({ appId, userId }) =>
      `INSERT INTO kyc_relay_vault_data_keys (app_id, user_id, key_id, wrapped, created_at)
       VALUES ('${appId}', '${userId}', 'k', ${bytes}, ${instant});`,
  )
  return [...keys, insertToken(owner, before, literals), insertToken(neighbour, ofNeighbour, literals)].join('\n')
}

/** One more by a process of that version, which works on beside the new one. */
export const rowOfProcessOf0002 = (literals: Literals): string => insertToken(owner, meanwhile, literals)

export const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date(0) })) })

/** All tokens of the owner are known and erased, whichever version wrote them; the neighbour's stays. */
export async function expectAllErased(vault: StoredVault, listDataKeys: () => Promise<readonly unknown[]>) {
  // The key of the rows above opens with no cipher: an owner comes back under a new one.
  expect(await vault.inspect(owner, [before, meanwhile])).toMatchObject([{ token: before }, { token: meanwhile }])
  expect(await vault.eraseOwner(owner)).toBe(2)
  const passport = {
    kind: 'document_number',
    value: 'X1',
    documentClass: 'PASSPORT',
    issuingCountryCode: 'CA',
  } as const
  const [fresh, another] = await vault.tokenize(owner, [passport, passport])
  if (fresh?.kind !== 'document_number' || another?.kind !== 'document_number') throw new Error('order')
  expect(await listDataKeys()).toEqual([null, 3, 3])
  expect(await vault.eraseOwner(owner)).toBe(2)
  expect(await vault.eraseOwner(owner)).toBe(0)
  const left = await vault.inspect(owner, [before, meanwhile, fresh.token, another.token])
  expect(left).toEqual([null, null, null, null])
  expect(await vault.inspect(neighbour, [ofNeighbour])).toMatchObject([{ token: ofNeighbour }])
}
