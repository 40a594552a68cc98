import { createCipheriv, createDecipheriv, createHmac, createSecretKey } from 'node:crypto'
import { checkArgument } from '../check-argument.js'
import { KycError } from '../kyc-error.js'
import type { PiiCipher, SealContext, WrappedDataKey } from '../tokenization/pii-cipher.js'
import type { KeyFile } from './key-file.js'
import { createDataKeyCache } from './data-key-cache.js'
import { createRandomPool } from './random-pool.js'

const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const mostCachedDataKeys = 100_000

/** Additional authenticated data: the header, and the context as text. Two different contexts never give the same text. */
function additionalData(header: Uint8Array, context: SealContext): Buffer {
  const names = Object.keys(context).sort()
  const text = JSON.stringify(names.map((name) => [name, context[name]]))
  return Buffer.concat([header, Buffer.from(text, 'utf8')])
}

/** `[format 1][length of key id][key id]` */
function headerOf(keyId: string): Buffer {
  const id = Buffer.from(keyId, 'utf8')
  return Buffer.concat([Buffer.from([FORMAT, id.length]), id])
}

/** Header of bytes sealed under a data key. Their row holds the wrapped data key, so the header holds no key id. */
const DATA_HEADER = headerOf('data')

/** `[header][nonce 12][ciphertext][tag 16]` */
function sealBytes(
  key: Uint8Array,
  { header, nonce }: { readonly header: Uint8Array; readonly nonce: Uint8Array },
  context: SealContext,
  clear: Uint8Array,
): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(additionalData(header, context))
  // GCM output has the length of its input: `final` returns no bytes.
  const body = cipher.update(clear)
  cipher.final()
  const sealed = new Uint8Array(header.length + NONCE_BYTES + body.length + TAG_BYTES)
  sealed.set(header)
  sealed.set(nonce, header.length)
  sealed.set(body, header.length + NONCE_BYTES)
  sealed.set(cipher.getAuthTag(), header.length + NONCE_BYTES + body.length)
  return sealed
}

/** Returns the length of the header of sealed bytes. */
function headerBytesOf(sealed: Uint8Array): number {
  const headerBytes = 2 + (sealed[1] ?? 0)
  if (sealed[0] !== FORMAT || sealed.length < headerBytes + NONCE_BYTES + TAG_BYTES) throw new KycError('SEAL_BROKEN')
  return headerBytes
}

function openBytes(key: Uint8Array, context: SealContext, sealed: Uint8Array): Buffer {
  const headerBytes = headerBytesOf(sealed)
  const nonceEnd = headerBytes + NONCE_BYTES
  const bodyEnd = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(headerBytes, nonceEnd), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(additionalData(sealed.subarray(0, headerBytes), context))
  decipher.setAuthTag(sealed.subarray(bodyEnd))
  try {
    // As in `sealBytes`: `final` checks the tag and returns no bytes.
    const clear = decipher.update(sealed.subarray(nonceEnd, bodyEnd))
    decipher.final()
    return clear
  } catch {
    throw new KycError('SEAL_BROKEN')
  }
}

interface LocalCipherOptions {
  readonly keys: KeyFile
  readonly cachedDataKeys?: number
}

/** A misspelt name would have no effect, and with NaN no data key would stay in memory. */
function checkedOptions(options: LocalCipherOptions): LocalCipherOptions {
  const { keys, cachedDataKeys = 0, ...unknown } = { ...options }
  checkArgument(Array.isArray((keys as Partial<KeyFile> | undefined)?.keys) && Object.keys(unknown).length === 0)
  checkArgument(Number.isSafeInteger(cachedDataKeys) && cachedDataKeys >= 0 && cachedDataKeys <= mostCachedDataKeys)
  return options
}

/**
 * Creates a {@link PiiCipher} with keys from a key file: AES-256-GCM with a fresh 96-bit nonce for each sealing, and
 * HMAC-SHA-256 fingerprints.
 *
 * The active seal key wraps new data keys. Wrapped keys hold the id of their seal key, so older data keys open as long
 * as their seal key is in the file.
 *
 * @param options `keys` as read by {@link parseKeyFile}. `cachedDataKeys`: most unwrapped data keys kept in memory,
 *   integer 0–100000, default 1000.
 * @throws `KEY_FILE_INVALID` without the active keys, or with a key of another length than 32 bytes; `ARGUMENT_INVALID`
 *   for an option that is missing, unknown or out of its range
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
  const { keys, cachedDataKeys = 1000 } = checkedOptions(options)
  const sealKeys = new Map(keys.keys.filter((key) => key.purpose === 'seal').map((key) => [key.id, key.key]))
  const fingerprintKey = keys.keys.find((key) => key.id === keys.activeFingerprintKeyId)?.key
  const activeKey = sealKeys.get(keys.activeSealKeyId)
  const isWhole = keys.keys.every(({ key }) => key.length === KEY_BYTES)
  if (!fingerprintKey || !activeKey || !isWhole) throw new KycError('KEY_FILE_INVALID')

  const fingerprintSecret = createSecretKey(fingerprintKey)
  const randomBytes = createRandomPool()
  const cache = createDataKeyCache(cachedDataKeys)
  const wrappingHeader = headerOf(keys.activeSealKeyId)
  const fresh = (header: Uint8Array) => ({ header, nonce: randomBytes(NONCE_BYTES) })
  // A caller that keeps a wrapped key asks with the same object for each value.
  const texts = new WeakMap<WrappedDataKey, string>()

  function textOf(dataKey: WrappedDataKey): string {
    const known = texts.get(dataKey)
    if (known !== undefined) return known
    const text = Buffer.from(dataKey.bytes).toString('base64')
    texts.set(dataKey, text)
    return text
  }

  function wrap(key: Uint8Array, context: SealContext): WrappedDataKey {
    return {
      keyId: keys.activeSealKeyId,
      bytes: sealBytes(activeKey as Uint8Array, fresh(wrappingHeader), context, key),
    }
  }

  function unwrap(dataKey: WrappedDataKey, context: SealContext): Buffer {
    const wrapped = textOf(dataKey)
    // A cached data key must not open for an owner whose context cannot unwrap it.
    const cached = cache.get(wrapped, context)
    if (cached) return cached
    const keyId = Buffer.from(dataKey.bytes.subarray(2, headerBytesOf(dataKey.bytes))).toString('utf8')
    const wrapping = sealKeys.get(keyId)
    if (!wrapping) throw new KycError('KEY_UNKNOWN')
    const key = openBytes(wrapping, context, dataKey.bytes)
    cache.set(wrapped, context, key)
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
      return sealBytes(unwrap(dataKey, keyContext), fresh(DATA_HEADER), context, clear)
    },
    async open({ dataKey, keyContext, context, sealed }) {
      const { buffer, byteOffset, byteLength } = openBytes(unwrap(dataKey, keyContext), context, sealed)
      return new Uint8Array(buffer, byteOffset, byteLength)
    },
    async fingerprint(purpose, value) {
      return new Uint8Array(createHmac('sha256', fingerprintSecret).update(keyedText(purpose, value), 'utf8').digest())
    },
    async rewrapDataKey(dataKey, keyContext) {
      return wrap(unwrap(dataKey, keyContext), keyContext)
    },
    evictDataKey(dataKey) {
      cache.evict(textOf(dataKey))
    },
  }
}

/** Returns the hashed text. Two different pairs of purpose and value never give the same text. */
function keyedText(purpose: string, value: string): string {
  return JSON.stringify([purpose, value])
}
