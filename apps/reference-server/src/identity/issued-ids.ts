import { createHash } from 'node:crypto'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

// RFC 9562 §6.6: namespace of URLs.
const urlNamespace = '6ba7b811-9dad-11d1-80b4-00c04fd430c8'

/** Creates a name-based UUID, version 5 (RFC 9562 §5.5). */
function nameBasedUuid(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/**
 * Converts a claim of an OAuth server to the id that this server stores.
 *
 * A UUID is kept. Any other text, and a UUID of version 5, becomes the version 5 UUID of issuer, claim and value. So a
 * name chosen at the OAuth server cannot collide with the id of another user.
 */
export function issuedId(issuer: string, claim: 'client_id' | 'sub', value: string): string {
  const version = uuid.exec(value)?.[1]
  if (version !== undefined && version !== '5') return value.toLowerCase()
  return nameBasedUuid(nameBasedUuid(urlNamespace, issuer), `${claim}:${value}`)
}
