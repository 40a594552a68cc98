import type { BodyPlace, BodySealer } from '../sealing/body-sealer.js'

/** A sealer in memory that can destroy keys. */
export interface MemoryBodySealer extends BodySealer {
  /** Destroys the key of a user of an app. */
  eraseOwner(owner: Pick<BodyPlace, 'appId' | 'userId'>): void
}

interface OwnerKey {
  readonly number: number
  readonly key: CryptoKey
}

const numberBytes = 4
const nonceBytes = 12
const nameOf = ({ appId, userId }: Pick<BodyPlace, 'appId' | 'userId'>) => JSON.stringify([appId, userId])

/**
 * Creates a sealer for tests: AES-GCM by Web Crypto, with one key for each user of an app.
 */
export function createMemoryBodySealer(): MemoryBodySealer {
  const keys = new Map<string, OwnerKey>()
  let made = 0

  async function makeKey(): Promise<OwnerKey> {
    made += 1
    const number = made
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
    return { number, key }
  }

  async function keyOf(owner: BodyPlace): Promise<OwnerKey> {
    const fresh = keys.get(nameOf(owner)) ?? (await makeKey())
    const first = keys.get(nameOf(owner)) ?? fresh
    keys.set(nameOf(owner), first)
    return first
  }

  return {
    seal: (values) =>
      Promise.all(
        values.map(async (value) => {
          const { number, key } = await keyOf(value)
          const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
          const algorithm = { name: 'AES-GCM', iv, additionalData: placeBytes(value) }
          const sealed = await crypto.subtle.encrypt(algorithm, key, new Uint8Array(value.clear))
          const bytes = new Uint8Array(numberBytes + nonceBytes + sealed.byteLength)
          new DataView(bytes.buffer).setUint32(0, number)
          bytes.set(iv, numberBytes)
          bytes.set(new Uint8Array(sealed), numberBytes + nonceBytes)
          return bytes
        }),
      ),
    open: (values) =>
      Promise.all(
        values.map(async (value) => {
          const { sealed } = value
          const number = new DataView(sealed.buffer, sealed.byteOffset).getUint32(0)
          const owned = keys.get(nameOf(value))
          if (owned?.number !== number) return null
          const iv = sealed.slice(numberBytes, numberBytes + nonceBytes)
          const algorithm = { name: 'AES-GCM', iv, additionalData: placeBytes(value) }
          return new Uint8Array(
            await crypto.subtle.decrypt(algorithm, owned.key, sealed.slice(numberBytes + nonceBytes)),
          )
        }),
      ),
    eraseOwner: (owner) => void keys.delete(nameOf(owner)),
  }
}

function placeBytes({ appId, userId, part, recordId }: BodyPlace): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([appId, userId, part, recordId]))
}
