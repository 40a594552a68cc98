// Verifies a webhook in Node.js. The body comes on standard input, the value of X-HMAC-Signature as the argument.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'

function isFromService(body, signature, apiKey) {
  if (!signature || !apiKey) return false // No header, or an empty key, with which anybody can sign.
  const expected = Buffer.from(createHmac('sha256', apiKey).update(body).digest('hex'))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const valid = isFromService(readFileSync(0), process.argv[2], process.env.KYC_RELAY_API_KEY)
process.exit(valid ? 0 : 1)
