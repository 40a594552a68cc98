import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createToken, isToken, KycError } from '@kyc-relay/kyc-core'
import { parseToken } from '@kyc-relay/kyc-core/internal'
import { propertyRuns } from '../../../../scripts/test-sizes.js'

const bytes = fc.uint8Array({ minLength: 64, maxLength: 64 })
const madeAt = new Date('2026-01-05T10:00:00Z')
const ssnToken = (random: Uint8Array, lastFour: string, at = madeAt) =>
  createToken({ field: 'ssn', lastFour, madeAt: at, randomBytes: () => random })
const numberToken = (random: Uint8Array, at = madeAt) =>
  createToken({ field: 'document_number', madeAt: at, randomBytes: () => random })
const randomBytes = (size: number) => new Uint8Array(size)
const usable = bytes.filter((random) => random.filter((byte) => byte < 248).length >= 26)

describe('token', () => {
  it('reads back what was made, for any randomness', () => {
    fc.assert(
      fc.property(usable, fc.stringMatching(/^[0-9]{4}$/), (random, lastFour) => {
        const ssn = ssnToken(random, lastFour)
        expect(parseToken(ssn)).toEqual({ token: ssn, field: 'ssn', lastFour })
        const number = numberToken(random)
        expect(parseToken(number)).toEqual({ token: number, field: 'document_number', lastFour: null })
        expect([ssn, number].every(isToken)).toBe(true)
      }),
      propertyRuns(1),
    )
  })

  it('can never be mistaken for an SSN', () => {
    fc.assert(
      fc.property(usable, (random) => {
        expect(ssnToken(random, '1120')).not.toMatch(/^\d{3}-?\d{2}-?\d{4}$/)
      }),
      propertyRuns(2),
    )
  })

  it('uses every base62 character equally: 248 and above are passed over', () => {
    const high = new Uint8Array(64).fill(248)
    high.set(
      Uint8Array.from({ length: 26 }, (_, index) => index),
      10,
    )
    expect(numberToken(high)).toBe('tok_document_number_0V7QBfoO0123456789ABCDEFGHIJKLMNOP')
    const last = new Uint8Array(26).fill(247)
    expect(numberToken(last)).toBe(`tok_document_number_0V7QBfoO${'z'.repeat(26)}`)
  })

  it('sorts by the millisecond it was made in, whatever is random, as bytes do', () => {
    const anyTime = fc.date({ min: new Date(0), max: new Date('3700-01-01T00:00:00Z'), noInvalidDate: true })
    fc.assert(
      fc.property(usable, usable, anyTime, fc.integer({ min: 1, max: 1e12 }), (one, other, at, afterMs) => {
        const later = new Date(at.getTime() + afterMs)
        expect(numberToken(one, at) < numberToken(other, later)).toBe(true)
        expect(ssnToken(one, '9999', at) < ssnToken(other, '0000', later)).toBe(true)
      }),
      propertyRuns(3),
    )
    const random = new Uint8Array(64)
    expect(numberToken(random, new Date(-1))).toBe(numberToken(random, new Date(0)))
  })

  it.each([
    ['no randomness', () => ssnToken(new Uint8Array(), '1120')],
    ['25 bytes', () => ssnToken(new Uint8Array(25), '1120')],
    ['64 unusable bytes', () => ssnToken(new Uint8Array(64).fill(255), '1120')],
    ['nothing', () => createToken(undefined as never)],
    ['an unknown field', () => createToken({ field: 'pan', madeAt: new Date(0), randomBytes } as never)],
    ['no source of bytes', () => createToken({ field: 'document_number', madeAt: new Date(0) } as never)],
    ['milliseconds', () => createToken({ field: 'document_number', madeAt: 0, randomBytes } as never)],
    ['no instant', () => numberToken(new Uint8Array(64), new Date(Number.NaN))],
    ['three last digits', () => ssnToken(new Uint8Array(64), '112')],
    ['letters for digits', () => ssnToken(new Uint8Array(64), '11a0')],
  ])('is not made of %s', (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }) as KycError)
  })

  const random = 'a'.repeat(26)
  it.each([
    [undefined],
    [[`tok_ssn_${random}_1120`]],
    [null],
    [7],
    [{}],
    [''],
    ['078-05-1120'],
    [`tok_ssn_${random}`],
    [`tok_ssn_${random}_112`],
    [`tok_ssn_${random}_11200`],
    [`tok_ssn_${random.slice(1)}_1120`],
    [`tok_ssn_${random}-_1120`],
    [`tok_ssn_${'a'.repeat(65)}_1120`],
    [`TOK_ssn_${random}_1120`],
    [` tok_ssn_${random}_1120`],
    [`tok_ssn_${random}_1120\n`],
    [`tok_document_number_${random}_1120`],
    [`tok_document_number_${random.slice(1)}`],
    [`tok_name_${random}`],
    [`tok_ssn_${random}_١١٢٠`],
  ])('is not %j', (value) => {
    expect(parseToken(value)).toBeNull()
    expect(isToken(value)).toBe(false)
  })

  it('may be longer than ours', () => {
    expect(isToken(`tok_ssn_${'Z'.repeat(64)}_0000`)).toBe(true)
  })
})

describe('KycError', () => {
  it('says its code and whether a retry helps, and keeps a cause out of its text', () => {
    const error = new KycError('VAULT_UNAVAILABLE', { cause: new Error('078-05-1120') })
    expect(error).toMatchObject({ name: 'KycError', code: 'VAULT_UNAVAILABLE', retryable: true })
    expect(error.message).toBe('The vault is not available. Nothing was written.')
    expect(new KycError('STORE_UNAVAILABLE').retryable).toBe(true)
    expect(new KycError('TOKEN_UNKNOWN').retryable).toBe(false)
  })

  it('is recognised across copies of the package', async () => {
    const path: string = '../../src/kyc-error.js?copy'
    const copy = (await import(path)) as { KycError: typeof KycError }
    expect(copy.KycError).not.toBe(KycError)
    expect(new copy.KycError('TOKEN_UNKNOWN')).toBeInstanceOf(KycError)
    for (const other of [null, undefined, 'x', {}, new Error('x')]) expect(other instanceof KycError).toBe(false)
  })
})
