import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { KycError } from '@kyc-relay/kyc-core'
import type { WrappedDataKey } from '@kyc-relay/kyc-core/internal'
import { addAuditKey, addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'

const source = { randomBytes, now: new Date('2026-01-05T10:00:00Z') }
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const owner = { appId: 'a', userId: 'u' }
const context = { ...owner, recordId: 'r', part: 'details' }
const cipherOf = (json: string, cachedDataKeys?: number) =>
  createLocalCipher({ keys: parseKeyFile(json), ...(cachedDataKeys === undefined ? {} : { cachedDataKeys }) })

describe('local cipher', () => {
  const json = createKeyFile(source)
  const cipher = cipherOf(json)

  it('opens what it sealed, in another cipher of the same keys too', async () => {
    const dataKey = await cipher.createDataKey(owner)
    for (const clear of ['', 'x', 'ä漢😀', 'y'.repeat(100_000)]) {
      const sealed = await cipher.seal({ dataKey, keyContext: owner, context, clear: bytes(clear) })
      for (const each of [cipher, cipherOf(json)]) {
        const opened = await each.open({ dataKey, keyContext: owner, context, sealed })
        expect(new TextDecoder().decode(opened)).toBe(clear)
      }
    }
  })

  it('opens what was sealed before, and fingerprints as before', async () => {
    const key = (id: string, purpose: 'seal' | 'fingerprint', byte: number) => ({
      id,
      purpose,
      key: new Uint8Array(32).fill(byte),
      createdAt: '',
    })
    const keys = [key('seal-1', 'seal', 1), key('fp-1', 'fingerprint', 2)]
    const then = createLocalCipher({ keys: { activeSealKeyId: 'seal-1', activeFingerprintKeyId: 'fp-1', keys } })
    const ofBase64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))
    const wrapped = 'AQZzZWFsLTEZn6rEWYzSiQf9DcrYeHuYPsMnco0M41TylMcIctaQMHQ24RdzvHJkjEbd9xIVnn2l5jVQZHbJ8uiHiBQ='
    const sealed = ofBase64('AQRkYXRh96VlwMG23BZTINmKGYbmCr5KzKrHbqf+EXs91IAeNh8=')
    const opened = await then.open({
      dataKey: { keyId: 'seal-1', bytes: ofBase64(wrapped) },
      keyContext: owner,
      context: { userId: 'u', appId: 'a', recordId: 'r', part: 'ä"' },
      sealed,
    })
    expect(new TextDecoder().decode(opened)).toBe('Jane')
    expect(Buffer.from(await then.fingerprint('payload', 'ä漢😀"')).toString('hex')).toBe(
      '88c256046fecdbf4b8eeeed76917fafe2b3ab51b8e3641a34bcd70e3634b06bc',
    )
  })

  it('never uses a nonce twice', async () => {
    const dataKey = await cipher.createDataKey(owner)
    const sealed = await Promise.all(
      Array.from({ length: 1000 }, () => cipher.seal({ dataKey, keyContext: owner, context, clear: bytes('x') })),
    )
    expect(new Set(sealed.map((each) => Buffer.from(each).toString('hex'))).size).toBe(1000)
  })

  it('tells contexts apart that only look alike when joined', async () => {
    const dataKey = await cipher.createDataKey(owner)
    const sealed = await cipher.seal({ dataKey, keyContext: owner, context: { a: 'b', c: 'd' }, clear: bytes('x') })
    const others: readonly Readonly<Record<string, string>>[] = [
      { a: 'bc', d: '' },
      { a: 'b' },
      { c: 'd' },
      { a: 'b', c: 'd', e: '' },
      { a: 'd', c: 'b' },
      {},
      { a: '","c', c: 'd' },
    ]
    for (const other of others) {
      await expect(cipher.open({ dataKey, keyContext: owner, context: other, sealed })).rejects.toMatchObject({
        code: 'SEAL_BROKEN',
      })
    }
    expect(await cipher.open({ dataKey, keyContext: owner, context: { c: 'd', a: 'b' }, sealed })).toEqual(bytes('x'))
  })

  it('unwraps a data key only for its owner, also when it is in memory', async () => {
    const dataKey = await cipher.createDataKey(owner)
    const sealed = await cipher.seal({ dataKey, keyContext: owner, context, clear: bytes('x') })
    const opened = cipher.open({ dataKey, keyContext: { ...owner, userId: 'other' }, context, sealed })
    await expect(opened).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  })

  it('does not open with the data key of another owner', async () => {
    const [first, second] = [await cipher.createDataKey(owner), await cipher.createDataKey(owner)]
    const sealed = await cipher.seal({ dataKey: first, keyContext: owner, context, clear: bytes('x') })
    const opened = cipher.open({ dataKey: second, keyContext: owner, context, sealed })
    await expect(opened).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  })

  it('refuses wrapped keys that are damaged, cut off, or of another format', async () => {
    const dataKey = await cipher.createDataKey(owner)
    const cut = [0, 1, 2, 10, 23, 24, 30, 35, 40, 50, dataKey.bytes.length - 1].map((length) =>
      dataKey.bytes.slice(0, length),
    )
    const damaged = [...dataKey.bytes.keys()].map((index) =>
      dataKey.bytes.map((byte, at) => (at === index ? byte ^ 1 : byte)),
    )
    for (const wrapped of [...cut, ...damaged]) {
      const sealing = cipher.seal({
        dataKey: { keyId: dataKey.keyId, bytes: wrapped },
        keyContext: owner,
        context,
        clear: bytes('x'),
      })
      const error: unknown = await sealing.catch((reason: unknown) => reason)
      expect(error instanceof KycError && ['SEAL_BROKEN', 'KEY_UNKNOWN'].includes(error.code)).toBe(true)
    }
  })

  it('does not take a sealed value for a data key', async () => {
    const dataKey = await cipher.createDataKey(owner)
    const sealed = await cipher.seal({ dataKey, keyContext: owner, context: owner, clear: new Uint8Array(32) })
    const posing: WrappedDataKey = { keyId: dataKey.keyId, bytes: sealed }
    const opened = cipher.open({ dataKey: posing, keyContext: owner, context, sealed })
    await expect(opened).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
  })

  it('forgets an evicted data key, and works on with the wrapped one', async () => {
    const dataKey = await cipher.createDataKey(owner)
    const other = await cipher.createDataKey(owner)
    const sealed = await cipher.seal({ dataKey, keyContext: owner, context, clear: bytes('x') })
    const kept = await cipher.seal({ dataKey: other, keyContext: owner, context, clear: bytes('y') })
    cipher.evictDataKey(dataKey)
    cipher.evictDataKey(dataKey)
    expect(await cipher.open({ dataKey, keyContext: owner, context, sealed })).toEqual(bytes('x'))
    expect(await cipher.open({ dataKey: other, keyContext: owner, context, sealed: kept })).toEqual(bytes('y'))
  })

  it.each([
    { cachedDatakeys: 5 },
    { cachedDataKeys: NaN },
    { cachedDataKeys: -1 },
    { cachedDataKeys: 1.5 },
    { cachedDataKeys: 100_001 },
    { cachedDataKeys: '5' },
    { cachedDataKeys: null },
    { keys: undefined },
    { keys: 'the text of a key file' },
  ])('refuses %o', (wrong) => {
    const options = { keys: parseKeyFile(json), ...wrong }
    // Whoever misspelt a name must not look for a range.
    const refusal = { code: 'ARGUMENT_INVALID', message: expect.stringMatching(/unknown name/) as string }
    expect(() => createLocalCipher(options as never)).toThrow(expect.objectContaining(refusal))
  })

  it('refuses no options, and takes undefined for the default', () => {
    expect(() => createLocalCipher(undefined as never)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
    expect(createLocalCipher({ keys: parseKeyFile(json), cachedDataKeys: undefined })).toBeDefined()
  })

  it.each([0, 1, 2])('works with %i data keys in memory', async (cachedDataKeys) => {
    const small = cipherOf(json, cachedDataKeys)
    const keys = await Promise.all(Array.from({ length: 4 }, () => small.createDataKey(owner)))
    const sealed = await Promise.all(
      keys.map((dataKey) => small.seal({ dataKey, keyContext: owner, context, clear: bytes('x') })),
    )
    for (const index of [0, 1, 2, 3, 0, 0]) {
      const dataKey = keys[index] as WrappedDataKey
      expect(await small.open({ dataKey, keyContext: owner, context, sealed: sealed[index] as Uint8Array })).toEqual(
        bytes('x'),
      )
    }
  })

  it('fingerprints as HMAC-SHA-256, separated by purpose', async () => {
    const key = parseKeyFile(json).keys.find((each) => each.purpose === 'fingerprint')?.key ?? new Uint8Array()
    const hash = createHmac('sha256', key).update('["ssn","078051120"]').digest()
    expect(await cipher.fingerprint('ssn', '078051120')).toEqual(new Uint8Array(hash))
    expect(await cipher.fingerprint('ssn', 'x')).not.toEqual(await cipher.fingerprint('payload', 'x'))
    // The separation is injective: no other pair gives the same message.
    expect(await cipher.fingerprint('a","b' as never, 'c')).not.toEqual(await cipher.fingerprint('a' as never, 'b","c'))
  })

  it('leaves nothing of what it fingerprints in memory that Node hands out again', async () => {
    // Joined here: the text of this file can itself be in that memory.
    const text = Array.from({ length: 3 }, () => '078-05-1120').join(' and ')
    await cipher.fingerprint('ssn', text)
    expect(Buffer.from(Buffer.allocUnsafe(1).buffer).includes(text)).toBe(false)
  })

  it.each([
    undefined,
    {},
    { randomBytes },
    { ...source, now: Date.now() },
    { ...source, now: new Date(NaN) },
    { ...source, nwo: 1 },
  ])('makes no key from the source %#', (wrong) => {
    for (const make of [
      () => createKeyFile(wrong as never),
      () => addSealKey(json, wrong as never),
      () => addAuditKey(json, wrong as never),
    ])
      expect(make).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
  })

  describe('rotation', () => {
    it('seals under the new key, opens under both, and after re-wrapping under the new one alone', async () => {
      const dataKey = await cipher.createDataKey(owner)
      const sealed = await cipher.seal({ dataKey, keyContext: owner, context, clear: bytes('x') })
      const rotatedJson = addSealKey(json, source)
      const rotated = cipherOf(rotatedJson)
      expect(await rotated.currentKeyId()).not.toBe(await cipher.currentKeyId())
      expect(await rotated.open({ dataKey, keyContext: owner, context, sealed })).toEqual(bytes('x'))
      const rewrapped = await rotated.rewrapDataKey(dataKey, owner)
      expect(rewrapped.keyId).toBe(await rotated.currentKeyId())
      const file = parseKeyFile(rotatedJson)
      const keys = file.keys.filter((key) => key.id !== dataKey.keyId)
      const alone = createLocalCipher({ keys: { ...file, keys } })
      expect(await alone.open({ dataKey: rewrapped, keyContext: owner, context, sealed })).toEqual(bytes('x'))
      await expect(alone.open({ dataKey, keyContext: owner, context, sealed })).rejects.toMatchObject({
        code: 'KEY_UNKNOWN',
      })
      expect(await alone.fingerprint('payload', 'x')).toEqual(await cipher.fingerprint('payload', 'x'))
    })
  })
})

describe('key file', () => {
  it('holds a seal key, a fingerprint key and an audit key of 32 bytes each', () => {
    const { keys } = parseKeyFile(createKeyFile(source))
    expect(keys.map(({ purpose, key, createdAt }) => [purpose, key.length, createdAt])).toEqual([
      ['seal', 32, '2026-01-05T10:00:00.000Z'],
      ['fingerprint', 32, '2026-01-05T10:00:00.000Z'],
      ['audit', 32, '2026-01-05T10:00:00.000Z'],
    ])
  })

  interface Editable {
    version: unknown
    activeSealKeyId: unknown
    activeFingerprintKeyId: unknown
    keys: Record<string, unknown>[]
    [other: string]: unknown
  }
  const edited = (edit: (file: Editable) => void): string => {
    const file = JSON.parse(createKeyFile(source)) as Editable
    edit(file)
    return JSON.stringify(file)
  }
  it.each([
    ['no JSON', 'keys!'],
    ['an empty text', ''],
    ['a list', '[]'],
    ['another version', edited((file) => (file.version = 2))],
    ['an unknown field', edited((file) => (file['x'] = 1))],
    ['no keys', edited((file) => (file.keys = []))],
    ['a short key', edited((file) => Object.assign(file.keys[0] ?? {}, { key: 'AAAA' }))],
    ['a key that is no base64', edited((file) => Object.assign(file.keys[0] ?? {}, { key: '!'.repeat(44) }))],
    ['an unknown purpose', edited((file) => Object.assign(file.keys[0] ?? {}, { purpose: 'sign' }))],
    ['an unknown active seal key', edited((file) => (file.activeSealKeyId = 'other'))],
    ['an unknown active fingerprint key', edited((file) => (file.activeFingerprintKeyId = 'other'))],
    ['a fingerprint key as active seal key', edited((file) => (file.activeSealKeyId = file.activeFingerprintKeyId))],
    ['an unknown active audit key', edited((file) => (file['activeAuditKeyId'] = 'other'))],
    ['a seal key as active audit key', edited((file) => (file['activeAuditKeyId'] = file.activeSealKeyId))],
    ['one id twice', edited((file) => file.keys.push({ ...file.keys[0] }))],
  ])('refuses %s, quoting nothing', (_what, text) => {
    let error: unknown
    try {
      parseKeyFile(text)
    } catch (reason) {
      error = reason
    }
    expect(error).toMatchObject({
      code: 'KEY_FILE_INVALID',
      message: 'The key file does not have the documented shape.',
    })
    expect(error).not.toHaveProperty('cause')
  })

  it.each([3, 0, 33])('is not made of %d random bytes where it needs more or fewer', (length) => {
    const short = { ...source, randomBytes: () => Buffer.alloc(length, 1) }
    expect(() => createKeyFile(short)).toThrow(expect.objectContaining({ code: 'KEY_FILE_INVALID' }))
    for (const add of [addSealKey, addAuditKey])
      expect(() => add(createKeyFile(source), short)).toThrow(expect.objectContaining({ code: 'KEY_FILE_INVALID' }))
  })

  it.each(['seal', 'fingerprint'])('cannot be adopted with an empty %s key', (purpose) => {
    const { keys, ...active } = parseKeyFile(createKeyFile(source))
    const emptied = keys.map((one) => (one.purpose === purpose ? { ...one, key: new Uint8Array() } : one))
    const refusal = expect.objectContaining({ code: 'KEY_FILE_INVALID' })
    expect(() => createLocalCipher({ keys: { ...active, keys: emptied } })).toThrow(refusal)
  })

  it('cannot be adopted with keys that it does not hold', () => {
    const keys = parseKeyFile(createKeyFile(source))
    expect(() => createLocalCipher({ keys: { ...keys, activeSealKeyId: 'other' } })).toThrow(KycError)
    expect(() => createLocalCipher({ keys: { ...keys, activeFingerprintKeyId: 'other' } })).toThrow(KycError)
  })
})
