import { KycError, type PiiCipher, type SealContext, type WrappedDataKey } from '@kyc-relay/kyc-core'
import type { ApiKeyRow } from '@kyc-relay/storage-drizzle/apps'
import { z } from 'zod'

/** A stored API key: sealed under a separate data key, which the key file wraps. */
const sealedApiKey = z.object({ keyId: z.string(), dataKey: z.string(), sealed: z.string() })

type SealedApiKey = Readonly<z.infer<typeof sealedApiKey>>

type KeyName = Pick<ApiKeyRow, 'appId' | 'version'>

function contextOf({ appId, version }: KeyName): SealContext {
  return { purpose: 'api_key', appId, version: String(version) }
}

function parse({ sealed }: Pick<ApiKeyRow, 'sealed'>): SealedApiKey {
  try {
    return sealedApiKey.parse(JSON.parse(Buffer.from(sealed).toString('utf8')))
  } catch {
    throw new KycError('SEAL_BROKEN')
  }
}

function write(dataKey: WrappedDataKey, sealed: string): Uint8Array {
  const row: SealedApiKey = { keyId: dataKey.keyId, dataKey: Buffer.from(dataKey.bytes).toString('base64'), sealed }
  return Buffer.from(JSON.stringify(row), 'utf8')
}

const dataKeyOf = ({ keyId, dataKey }: SealedApiKey) => ({ keyId, bytes: Buffer.from(dataKey, 'base64') })

/** Seals a version of an app's key for storage. */
export async function sealApiKey(cipher: PiiCipher, name: KeyName, apiKey: string): Promise<Uint8Array> {
  const context = contextOf(name)
  const dataKey = await cipher.createDataKey(context)
  const clear = Buffer.from(apiKey, 'utf8')
  const sealed = await cipher.seal({ dataKey, keyContext: context, context, clear })
  return write(dataKey, Buffer.from(sealed).toString('base64'))
}

/** @throws KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
export async function openApiKey(cipher: PiiCipher, row: ApiKeyRow): Promise<string> {
  const stored = parse(row)
  const context = contextOf(row)
  const sealed = Buffer.from(stored.sealed, 'base64')
  const clear = await cipher.open({ dataKey: dataKeyOf(stored), keyContext: context, context, sealed })
  return Buffer.from(clear).toString('utf8')
}

/**
 * Reads the id of the wrapping key in the key file.
 *
 * @throws KycError `SEAL_BROKEN` for bytes that are not a sealed key.
 */
export function wrappingKeyIdOf(row: Pick<ApiKeyRow, 'sealed'>): string {
  return parse(row).keyId
}

/**
 * Re-wraps the data key of a sealed key under the current key of the key file.
 *
 * @throws KycError `KEY_UNKNOWN`, `SEAL_BROKEN`.
 */
export async function rewrapApiKey(cipher: PiiCipher, row: ApiKeyRow): Promise<Uint8Array> {
  const stored = parse(row)
  return write(await cipher.rewrapDataKey(dataKeyOf(stored), contextOf(row)), stored.sealed)
}
