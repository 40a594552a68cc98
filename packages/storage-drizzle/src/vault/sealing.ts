import { createToken } from '@kyc-relay/kyc-core'
import type {
  AppUser,
  ClearValue,
  PiiCipher,
  PiiField,
  SealContext,
  Token,
  TokenizedValue,
  WrappedDataKey,
} from '@kyc-relay/kyc-core'

/** A token row before it is written. */
export interface NewTokenRow {
  readonly token: Token
  readonly field: PiiField
  readonly fingerprint: Uint8Array
  /** Null for a document number, of which only the fingerprint is kept. */
  readonly sealed: Uint8Array | null
}

/** One clear value made safe: what to answer, and the row to write if it has one. */
export interface SealedValue {
  readonly answer: TokenizedValue
  readonly row: NewTokenRow | null
}

/** What the data key of an owner is bound to. */
export function keyContext({ appId, userId }: AppUser): SealContext {
  return { appId, userId }
}

/** What a sealed SSN is bound to: its own row. */
export function tokenContext({ appId, userId }: AppUser, field: PiiField, token: Token): SealContext {
  return { appId, userId, field, token }
}

/** What a sealed part of a record is bound to. */
export function recordContext({ appId, userId }: AppUser, recordId: string, part: string): SealContext {
  return { appId, userId, recordId, part }
}

/** Digits only: dashes do not make another SSN. */
function ssnForFingerprint(value: string): string {
  return value.replaceAll(/[^0-9]/g, '')
}

/** Case, spaces and punctuation do not make another document; class and country do. */
function documentForFingerprint(value: Extract<ClearValue, { kind: 'document_number' }>): string {
  const letters = value.value
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return JSON.stringify([value.documentClass, value.issuingCountryCode, letters === '' ? value.value : letters])
}

const encoder = new TextEncoder()

/** Seals one value under the owner's data key. All cryptography happens here, before anything is written. */
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
      const digits = ssnForFingerprint(value.value)
      const token = createToken({ field: 'ssn', lastFour: digits.slice(-4), madeAt, randomBytes })
      const fingerprint = await cipher.fingerprint('ssn', digits)
      const sealed = await seal(tokenContext(owner, 'ssn', token), value.value)
      return { answer: { kind: 'ssn', token }, row: { token, field: 'ssn', fingerprint, sealed } }
    }
    case 'document_number': {
      const token = createToken({ field: 'document_number', madeAt, randomBytes })
      const fingerprint = await cipher.fingerprint('document_number', documentForFingerprint(value))
      return { answer: { kind: value.kind, token }, row: { token, field: value.kind, fingerprint, sealed: null } }
    }
  }
}
