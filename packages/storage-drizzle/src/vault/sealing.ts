import { createToken } from '@kyc-relay/kyc-core'
import type { ClearValue, PiiField, SealContext, WrappedDataKey } from '@kyc-relay/kyc-core/internal'
import type { AppUser, PiiCipher, Token, TokenizedValue } from '@kyc-relay/kyc-core'

/** A token row to write. */
export interface NewTokenRow {
  readonly token: Token
  readonly field: PiiField
  readonly fingerprint: Uint8Array
  /** Ciphertext; null for a document number, for which only the fingerprint is stored. */
  readonly sealed: Uint8Array | null
}

/** One sealed value: its result, and the row to write, if any. */
export interface SealedValue {
  readonly answer: TokenizedValue
  readonly row: NewTokenRow | null
}

/** Context of an owner's data key. */
export function keyContext({ appId, userId }: AppUser): SealContext {
  return { appId, userId }
}

/** Context of a sealed SSN: its row. */
export function tokenContext({ appId, userId }: AppUser, field: PiiField, token: Token): SealContext {
  return { appId, userId, field, token }
}

/** Context of a sealed part of a record. */
export function recordContext({ appId, userId }: AppUser, recordId: string, part: string): SealContext {
  return { appId, userId, recordId, part }
}

/** Normalises an SSN to digits: dashes do not matter. */
function digitsOf(value: string): string {
  return value.replaceAll(/[^0-9]/g, '')
}

/** Normalises a document for its fingerprint. Case, spaces and punctuation do not matter; class and country do. */
function documentForFingerprint(value: Extract<ClearValue, { kind: 'document_number' }>): readonly string[] {
  const letters = value.value
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return [value.documentClass, value.issuingCountryCode, letters === '' ? value.value : letters]
}

/** Equal values of two apps have unrelated fingerprints, so that a vault tells nothing across apps. */
function inApp({ appId }: AppUser, value: readonly string[]): string {
  return JSON.stringify([appId, ...value])
}

const encoder = new TextEncoder()

/** Seals one value under the owner's data key. All cryptography runs here, before the write. */
export async function sealValue(
  value: ClearValue,
  deps: {
    readonly owner: AppUser
    readonly cipher: PiiCipher
    readonly dataKey: WrappedDataKey
    readonly randomBytes: (size: number) => Uint8Array
    readonly madeAt: Date
  },
): Promise<SealedValue> {
  const { owner, cipher, dataKey, madeAt, randomBytes } = deps
  const seal = (context: SealContext, clear: string) =>
    cipher.seal({ dataKey, keyContext: keyContext(owner), context, clear: encoder.encode(clear) })
  switch (value.kind) {
    case 'record': {
      const sealed = await seal(recordContext(owner, value.recordId, value.part), value.value)
      return { answer: { kind: 'record', sealed }, row: null }
    }
    case 'ssn': {
      const digits = digitsOf(value.value)
      const token = createToken({ field: 'ssn', lastFour: digits.slice(-4), madeAt, randomBytes })
      const fingerprint = await cipher.fingerprint('ssn', inApp(owner, [digits]))
      const sealed = await seal(tokenContext(owner, 'ssn', token), value.value)
      return { answer: { kind: 'ssn', token }, row: { token, field: 'ssn', fingerprint, sealed } }
    }
    case 'document_number': {
      const token = createToken({ field: 'document_number', madeAt, randomBytes })
      const fingerprint = await cipher.fingerprint('document_number', inApp(owner, documentForFingerprint(value)))
      return { answer: { kind: value.kind, token }, row: { token, field: value.kind, fingerprint, sealed: null } }
    }
  }
}
