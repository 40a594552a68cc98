import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { KycError } from '@kyc-relay/kyc-core'
import { createAuditSeal } from '@kyc-relay/kyc-core/audit'
import { addAuditKey, createKeyFile, createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'

const source = { randomBytes, now: new Date('2026-01-05T10:00:00Z') }
const event = {
  ...({ kind: 'VERIFICATION_RECORDED', atMs: 1, appId: 'ä漢😀', userId: 'u', subject: 's' } as const),
  contentDigest: 'a'.repeat(64),
  actor: 'operator:Ada',
  reason: 'r',
}

/** As key files were before there was an audit log. */
function withoutAuditKey(json: string): string {
  const { activeAuditKeyId: _, ...file } = JSON.parse(json) as { activeAuditKeyId: string; keys: { purpose: string }[] }
  return JSON.stringify({ ...file, keys: file.keys.filter(({ purpose }) => purpose !== 'audit') })
}

describe('the local audit seal', () => {
  const json = createKeyFile(source)
  const seal = createLocalAuditSeal({ keys: parseKeyFile(json) })

  it('makes an HMAC-SHA-256 under the active audit key, over every field and its place', () => {
    const first = seal.next('stores', 3, null, event)
    const second = seal.next('stores', 3, first, event)
    const key = parseKeyFile(json).keys.find(({ purpose }) => purpose === 'audit')
    if (key === undefined) throw new Error('no key')
    const text = `l14:s23:kyc-relay audit entry 1s6:storesi3;i2;s${key.id.length}:${key.id}s64:${first.mac}s21:VERIFICATION_RECORDEDi1;s4:ä漢😀s1:us1:ss64:${event.contentDigest}s12:operator:Adas1:r`
    expect(second).toMatchObject({ chain: 3, sequence: 2, keyId: key.id, previousMac: first.mac })
    expect(second.mac).toBe(createHmac('sha256', key.key).update(text, 'utf8').digest('hex'))
  })

  it.each([
    { chain: 4 },
    { sequence: 2 },
    { previousMac: 'b'.repeat(64) },
    { kind: 'USER_ERASED' as const },
    { atMs: 2 },
    { appId: null },
    { userId: 'U' },
    { subject: '' },
    { actor: null },
    { actor: 'claimed:Ada' },
    { reason: null },
    { contentDigest: 'b'.repeat(64) },
    { mac: 'b'.repeat(64) },
  ])('finds %j changed', (change) => {
    const entry = seal.next('stores', 3, null, event)
    expect(seal.check('stores', entry)).toBe('INTACT')
    expect(seal.check('stores', { ...entry, ...change })).toBe('CHANGED')
    expect(seal.check('vault', entry)).toBe('CHANGED')
    expect(seal.check('stores', { ...entry, keyId: 'other' })).toBe('KEY_UNKNOWN')
  })

  it.each([{ chain: 1 }, { sequence: 8 }, { mac: 'b'.repeat(64) }, { atMs: 6 }, { log: 'vault' as const }])(
    'finds a checkpoint with %j changed',
    (change) => {
      const checkpoint = seal.sealCheckpoint({ log: 'stores', chain: 0, sequence: 7, mac: 'a'.repeat(64), atMs: 5 })
      expect(seal.checkCheckpoint(checkpoint)).toBe('INTACT')
      expect(seal.checkCheckpoint({ ...checkpoint, ...change })).toBe('CHANGED')
      expect(seal.checkCheckpoint({ ...checkpoint, keyId: 'other' })).toBe('KEY_UNKNOWN')
    },
  )

  it('derives a key where the file has none, and keeps checking with it once the file has one', () => {
    const old = withoutAuditKey(json)
    const entry = createLocalAuditSeal({ keys: parseKeyFile(old) }).next('stores', 0, null, event)
    const grown = createLocalAuditSeal({ keys: parseKeyFile(addAuditKey(old, source)) })
    expect(grown.check('stores', entry)).toBe('INTACT')
    expect(grown.next('stores', 0, null, event).keyId).not.toBe(entry.keyId)
    expect(
      createLocalAuditSeal({ keys: parseKeyFile(withoutAuditKey(createKeyFile(source))) }).check('stores', entry),
    ).toBe('KEY_UNKNOWN')
  })

  it('keeps checking with the former key after another one was added', () => {
    const entry = seal.next('stores', 0, null, event)
    const rotated = createLocalAuditSeal({ keys: parseKeyFile(addAuditKey(json, source)) })
    expect(rotated.check('stores', entry)).toBe('INTACT')
    expect(rotated.next('stores', 0, entry, event).keyId).not.toBe(entry.keyId)
  })

  it('cannot be made with a key that is not there', () => {
    const keys = { ...parseKeyFile(json), activeAuditKeyId: 'other' }
    expect(() => createLocalAuditSeal({ keys })).toThrow(KycError)
  })

  it.each([undefined, null, {}, { keys: json }, { keys: [] }, { keys: parseKeyFile(json), kyes: 1 }])(
    'is not made with the options %#',
    (options) => {
      expect(() => createLocalAuditSeal(options as never)).toThrow(
        expect.objectContaining({ code: 'ARGUMENT_INVALID' }),
      )
    },
  )

  it.each<unknown>([
    undefined,
    {},
    { keyId: 'audit-1', hmacSha256Hex: () => null },
    { hmacSha256Hex: () => null, sha256Hex: () => '' },
  ])('is not made with the hashes %#', (hashes) => {
    expect(() => createAuditSeal(hashes as never)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
  })

  it('names the hash that knows no key for new entries', () => {
    const keyless = createAuditSeal({ keyId: 'audit-1', hmacSha256Hex: () => null, sha256Hex: () => 'a'.repeat(64) })
    const checkpoint = { log: 'stores', chain: 0, sequence: 7, mac: 'a'.repeat(64), atMs: 5 } as const
    const error = new TypeError('`hmacSha256Hex` returned null for `keyId`.')
    expect(() => keyless.next('stores', 0, null, event)).toThrow(error)
    expect(() => keyless.sealCheckpoint(checkpoint)).toThrow(error)
    expect(keyless.checkCheckpoint({ ...checkpoint, keyId: 'audit-1', seal: 'a' })).toBe('KEY_UNKNOWN')
  })
})
