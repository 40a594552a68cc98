import { KycError, type PiiCipher } from '@kyc-relay/kyc-core'
import type { SealContext, WrappedDataKey } from '@kyc-relay/kyc-core/internal'
import * as z from 'zod'

/** A sealed value as stored: sealed under a data key of its own, which the key file wraps. */
const sealedValue = z.object({ keyId: z.string(), dataKey: z.string(), sealed: z.string() })

type SealedValue = Readonly<z.infer<typeof sealedValue>>

function parse(text: string): SealedValue {
  try {
    return sealedValue.parse(JSON.parse(text))
  } catch {
    throw new KycError('SEAL_BROKEN')
  }
}

function format(dataKey: WrappedDataKey, sealed: string): string {
  const value: SealedValue = { keyId: dataKey.keyId, dataKey: Buffer.from(dataKey.bytes).toString('base64'), sealed }
  return JSON.stringify(value)
}

const dataKeyOf = ({ keyId, dataKey }: SealedValue) => ({ keyId, bytes: Buffer.from(dataKey, 'base64') })

/** Seals a text for storage. It opens only in the same context. */
export async function sealText(cipher: PiiCipher, context: SealContext, text: string): Promise<string> {
  const dataKey = await cipher.createDataKey(context)
  const sealed = await cipher.seal({ dataKey, keyContext: context, context, clear: Buffer.from(text, 'utf8') })
  return format(dataKey, Buffer.from(sealed).toString('base64'))
}

/** @throws KycError `KEY_UNKNOWN`, `SEAL_BROKEN`. */
export async function openText(cipher: PiiCipher, context: SealContext, stored: string): Promise<string> {
  const value = parse(stored)
  const sealed = Buffer.from(value.sealed, 'base64')
  const clear = await cipher.open({ dataKey: dataKeyOf(value), keyContext: context, context, sealed })
  return Buffer.from(clear).toString('utf8')
}

/**
 * Reads the id of the wrapping key in the key file.
 *
 * @throws KycError `SEAL_BROKEN` for a text that is not a sealed value.
 */
export const wrappingKeyIdOfText = (stored: string): string => parse(stored).keyId

/**
 * Re-wraps the data key of a sealed value under the current key of the key file.
 *
 * @throws KycError `KEY_UNKNOWN`, `SEAL_BROKEN`.
 */
export async function rewrapText(cipher: PiiCipher, context: SealContext, stored: string): Promise<string> {
  const value = parse(stored)
  return format(await cipher.rewrapDataKey(dataKeyOf(value), context), value.sealed)
}
