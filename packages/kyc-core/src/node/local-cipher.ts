import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import { KycError } from '../kyc-error.js'
import type { PiiCipher, SealContext, WrappedDataKey } from '../tokenization/pii-cipher.js'
import type { KeyFile } from './key-file.js'
import { createDataKeyCache } from './data-key-cache.js'
import { keyedHash } from './keyed-hash.js'
import { createRandomPool } from './random-pool.js'

const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** Injective: two different contexts never give the same bytes, whatever their keys and values hold. */
function additionalData(context: SealContext): Buffer {
  const entries = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))
  return Buffer.from(JSON.stringify(entries), 'utf8')
}

/** `[format 1][length of key id][key id][nonce 12][ciphertext][tag 16]` */
function sealBytes(
  key: Uint8Array,
  { keyId, nonce }: { readonly keyId: string; readonly nonce: Uint8Array },
  context: SealContext,
  clear: Uint8Array,
): Uint8Array {
  const id = Buffer.from(keyId, 'utf8')
  const header = Buffer.concat([Buffer.from([FORMAT, id.length]), id])
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.concat([header, additionalData(context)]))
  const body = Buffer.concat([cipher.update(clear), cipher.final()])
  return new Uint8Array(Buffer.concat([header, nonce, body, cipher.getAuthTag()]))
}

/** Key id written into sealed bytes, or null when they are not in our format. */
function sealedKeyId(sealed: Uint8Array): { readonly keyId: string; readonly headerBytes: number } | null {
  const length = sealed[1]
  if (sealed[0] !== FORMAT || length === undefined) return null
  const headerBytes = 2 + length
  if (sealed.length < headerBytes + NONCE_BYTES + TAG_BYTES) return null
  return { keyId: Buffer.from(sealed.subarray(2, headerBytes)).toString('utf8'), headerBytes }
}

function openBytes(key: Uint8Array, context: SealContext, sealed: Uint8Array): Buffer {
  const parsed = sealedKeyId(sealed)
  if (!parsed) throw new KycError('SEAL_BROKEN')
  const { headerBytes } = parsed
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  const nonceEnd = headerBytes + NONCE_BYTES
  const bodyEnd = bytes.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(headerBytes, nonceEnd), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.concat([bytes.subarray(0, headerBytes), additionalData(context)]))
  decipher.setAuthTag(bytes.subarray(bodyEnd))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceEnd, bodyEnd)), decipher.final()])
  } catch {
    throw new KycError('SEAL_BROKEN')
  }
}

/**
 * A {@link PiiCipher} with keys from a key file: AES-256-GCM with a fresh 96-bit nonce per sealing, HMAC-SHA-256
 * fingerprints.
 *
 * Every data key is wrapped under the file's active seal key; the key id is part of the sealed bytes, so older keys keep
 * opening what they sealed for as long as they stay in the file.
 *
 * @param options `keys` as read by {@link parseKeyFile}. `cachedDataKeys`: most unwrapped data keys kept in memory,
 *   integer 0–100000, default 1000.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
 *
 * const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date() })) })
 * ```
 */
export function createLocalCipher(options: { readonly keys: KeyFile; readonly cachedDataKeys?: number }): PiiCipher {
  const { keys, cachedDataKeys = 1000 } = options
  const sealKeys = new Map(keys.keys.filter((key) => key.purpose === 'seal').map((key) => [key.id, key.key]))
  const fingerprintKey = keys.keys.find((key) => key.id === keys.activeFingerprintKeyId)?.key
  const activeKey = sealKeys.get(keys.activeSealKeyId)
  if (!fingerprintKey || !activeKey) throw new KycError('KEY_FILE_INVALID')

  const fingerprintSecret = createSecretKey(fingerprintKey)
  const randomBytes = createRandomPool()
  const cache = createDataKeyCache(cachedDataKeys)
  const fresh = (keyId: string) => ({ keyId, nonce: randomBytes(NONCE_BYTES) })
  const cacheKey = (dataKey: WrappedDataKey): string => Buffer.from(dataKey.bytes).toString('base64')

  function wrap(key: Uint8Array, context: SealContext): WrappedDataKey {
    return {
      keyId: keys.activeSealKeyId,
      bytes: sealBytes(activeKey as Uint8Array, fresh(keys.activeSealKeyId), context, key),
    }
  }

  function unwrap(dataKey: WrappedDataKey, context: SealContext): Buffer {
    const parsed = sealedKeyId(dataKey.bytes)
    if (!parsed) throw new KycError('SEAL_BROKEN')
    const wrapping = sealKeys.get(parsed.keyId)
    if (!wrapping) throw new KycError('KEY_UNKNOWN')
    // The context is part of the entry: a cached key must not open for an owner whose context would fail to unwrap it.
    const name = `${cacheKey(dataKey)} ${additionalData(context).toString('utf8')}`
    const cached = cache.get(name)
    if (cached) return cached
    const key = openBytes(wrapping, context, dataKey.bytes)
    cache.set(name, key)
    return key
  }

  return {
    async currentKeyId() {
      return keys.activeSealKeyId
    },
    async createDataKey(context) {
      return wrap(randomBytes(KEY_BYTES), context)
    },
    async seal({ dataKey, keyContext, context, clear }) {
      return sealBytes(unwrap(dataKey, keyContext), fresh('data'), context, clear)
    },
    async open({ dataKey, keyContext, context, sealed }) {
      return new Uint8Array(openBytes(unwrap(dataKey, keyContext), context, sealed))
    },
    async fingerprint(purpose, value) {
      return keyedHash(fingerprintSecret, purpose, value)
    },
    async rewrapDataKey(dataKey, keyContext) {
      return wrap(unwrap(dataKey, keyContext), keyContext)
    },
    evictDataKey(dataKey) {
      cache.evict(`${cacheKey(dataKey)} `)
    },
  }
}
