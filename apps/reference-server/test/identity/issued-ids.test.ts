import { expect, it } from 'vitest'
import { issuedId } from '../../src/identity/issued-ids.js'

const issuer = 'https://login.example.com'

it('a UUID stays what it is, in lower case', () => {
  const id = '0D0C8A3E-5F0B-4C43-9F1A-3A2B6F6F0A01'
  expect(issuedId(issuer, 'sub', id)).toBe(id.toLowerCase())
})

it('any other name becomes the version 5 UUID of issuer, claim and name', () => {
  // Made with Python: uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_URL, issuer), 'sub:auth0|jane')
  expect(issuedId(issuer, 'sub', 'auth0|jane')).toBe('aebf1dff-7e36-555f-9f58-f576c0eac483')
})

it('the id that a name becomes cannot be chosen as a name', () => {
  const victim = issuedId(issuer, 'sub', 'auth0|jane')
  expect(issuedId(issuer, 'sub', victim)).not.toBe(victim)
  expect(issuedId(issuer, 'sub', victim.toUpperCase())).not.toBe(victim)
})

it('the same name at another issuer, or as another claim, is somebody else', () => {
  const ids = [
    issuedId(issuer, 'sub', 'jane'),
    issuedId('https://other.example.com', 'sub', 'jane'),
    issuedId(issuer, 'client_id', 'jane'),
    issuedId(issuer, 'sub', 'Jane'),
  ]
  expect(new Set(ids).size).toBe(4)
})
