import type { AppUser, ClearValue } from '../tokenization/pii-vault.js'
import type { Token } from '../tokenization/token.js'
import { assertThat } from './conformance-case.js'
import type { PiiVaultHarness, VaultUnderTest } from './pii-vault-cases.js'
import { USERS, uuid } from './verification-submissions.js'

/** Three owners: two users of one app, and the first user in another app. */
export const OWNERS = {
  maria: USERS.maria,
  jonas: USERS.jonas,
  mariaElsewhere: { appId: USERS.other.appId, userId: USERS.maria.userId },
} as const

/** Clear values of an invented person. */
export const SSN: ClearValue = { kind: 'ssn', value: '078051120' }
export const DOCUMENT_NUMBER: ClearValue = {
  kind: 'document_number',
  value: 'CANARYX1234567',
  documentClass: 'PASSPORT',
  issuingCountryCode: 'US',
}
export const DETAILS = {
  kind: 'record',
  recordId: uuid(1),
  part: 'details',
  value: '{"firstName":"Canary-Marïa 漢","dateOfBirth":"1985-04-12"}',
} as const satisfies ClearValue

/** Actor of reveals in the cases. */
export const AUDITED = { actor: 'officer-7', purpose: 'case-42' } as const

/** Opens a handle, runs the function, closes the handle. */
export async function withVault<T>(harness: PiiVaultHarness, work: (vault: VaultUnderTest) => Promise<T>): Promise<T> {
  const { vault, close } = await harness.open()
  try {
    return await work(vault)
  } finally {
    await close()
  }
}

/** Tokenizes one value and returns its token. */
export async function tokenFor(vault: VaultUnderTest, owner: AppUser, value: ClearValue = SSN): Promise<Token> {
  const [answer] = await vault.tokenize(owner, [value])
  assertThat(answer !== undefined && answer.kind !== 'record', 'a value that gets a token gets one')
  return answer.token
}

/** Seals one part of a record. */
export async function sealedFor(
  vault: VaultUnderTest,
  owner: AppUser,
  value = DETAILS as ClearValue,
): Promise<Uint8Array> {
  const [answer] = await vault.tokenize(owner, [value])
  assertThat(answer?.kind === 'record', 'a part of a record is sealed')
  return answer.sealed
}
