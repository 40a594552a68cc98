import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { ApiKeyRow } from '@kyc-relay/storage-drizzle/internal'
import type { SealContext } from '@kyc-relay/kyc-core/internal'
import { openText, rewrapText, sealText, wrappingKeyIdOfText } from './sealed-value.js'

type KeyName = Pick<ApiKeyRow, 'appId' | 'version'>

function contextOf({ appId, version }: KeyName): SealContext {
  return { purpose: 'api_key', appId, version: String(version) }
}

const textOf = ({ sealed }: Pick<ApiKeyRow, 'sealed'>) => Buffer.from(sealed).toString('utf8')

/** Seals a version of an app's key for storage. */
export async function sealApiKey(cipher: PiiCipher, name: KeyName, apiKey: string): Promise<Uint8Array> {
  return Buffer.from(await sealText(cipher, contextOf(name), apiKey), 'utf8')
}

/** @throws KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
export const openApiKey = (cipher: PiiCipher, row: ApiKeyRow): Promise<string> =>
  openText(cipher, contextOf(row), textOf(row))

/** @throws KycError `SEAL_BROKEN` for bytes that are not a sealed key. */
export const wrappingKeyIdOf = (row: Pick<ApiKeyRow, 'sealed'>): string => wrappingKeyIdOfText(textOf(row))

/** @throws KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
export async function rewrapApiKey(cipher: PiiCipher, row: ApiKeyRow): Promise<Uint8Array> {
  return Buffer.from(await rewrapText(cipher, contextOf(row), textOf(row)), 'utf8')
}
