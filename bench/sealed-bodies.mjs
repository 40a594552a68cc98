// Bodies that the vault of the reference server seals, for the measurement of deliveries.
import { randomBytes, randomUUID } from 'node:crypto'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'

/** With as many unwrapped keys in memory as the server keeps. */
export const cipher = createLocalCipher({
  keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date() })),
  cachedDataKeys: 20_000,
})

/** Each has a key of its own. */
export const users = Array.from({ length: 10_000 }, () => randomUUID())

/** The bytes that are stored: without a sealer the body, else a byte that marks it as sealed and the sealed body. */
export async function bodyToStore(body, { bodySealer, ...event }) {
  if (bodySealer === undefined) return body
  const [sealed] = await bodySealer.seal([{ ...event, part: 'event', clear: body }])
  return Buffer.concat([Buffer.of(1), sealed])
}
