import { expect, test } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'

// Forms in which a program prints an SSN that it holds as bytes or as UTF-16.

const SSN = '078051120'
const DASHED = '078-05-1120'
const now = new Date('2026-01-06T12:00:00Z')

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
const bigEndian = (text: string): Buffer => utf16(text).swap16()

function codesOf(value: unknown): string[] {
  const parsed = parseSubmission(sampleSubmission({ externalProviderData: { raw: value } }), { now })
  return parsed.ok ? [] : parsed.violations.map(({ code }) => code)
}

test.each([
  ['base64 of UTF-16', utf16(SSN).toString('base64')],
  ['base64 of UTF-16 with dashes', utf16(DASHED).toString('base64')],
  ['base64 of UTF-16 after one character', utf16(`x${SSN}`).toString('base64')],
  ['base64 of UTF-16 inside JSON', utf16(JSON.stringify({ ssn: DASHED })).toString('base64')],
  ['base64 of UTF-16, the other byte order', bigEndian(`no ${SSN}.`).toString('base64')],
  ['base64url after other bytes', Buffer.from(`>>>${SSN}`).toString('base64url')],
  ['base64 glued to a word', `key${Buffer.from(SSN).toString('base64')}`],
  ['hexadecimal that begins with half a byte', `f${Buffer.from(SSN).toString('hex')}`],
  ['hexadecimal of UTF-16', utf16(SSN).toString('hex')],
  ['hexadecimal of UTF-16 with dashes', bigEndian(DASHED).toString('hex')],
  ['a Buffer in JSON', Buffer.from(SSN).toJSON()],
  ['a Buffer in JSON, with dashes', Buffer.from(DASHED).toJSON()],
  ['bytes in a text', JSON.stringify([...Buffer.from(SSN)])],
])('%s holds the submitted SSN', (_what, value) => {
  expect(codesOf(value)).toEqual(['CLEAR_PII_IN_FREE_FORM'])
})

test.each(['456785678', '898989898', '567456789'])('base64 of %s holds it, without the letter M', (ssn) => {
  const raw = Buffer.from(ssn).toString('base64')
  const person = { ...sampleSubmission().person, ssn, ssnLast4: ssn.slice(-4) }
  const parsed = parseSubmission(sampleSubmission({ person, externalProviderData: { raw } }), { now })
  expect(raw).not.toContain('M')
  expect(parsed).toMatchObject({ ok: false, violations: [{ code: 'CLEAR_PII_IN_FREE_FORM' }] })
})

test.each([
  ['base64 of another number in UTF-16', utf16('219099999').toString('base64')],
  ['base64 of a number that differs in the last digit', Buffer.from('x078051121').toString('base64')],
  ['base64 of a number that differs in the first digit', Buffer.from('x178051120').toString('base64')],
  ['hexadecimal of another number in UTF-16', utf16('219099999').toString('hex')],
  ['the bytes of another number', Buffer.from('219099999').toJSON()],
])('%s does not', (_what, value) => {
  expect(codesOf(value)).toEqual([])
})

test('a long text of many short runs of base64 is answered', () => {
  expect(new Set(codesOf('AAAAAAAA.'.repeat(100_000)))).toEqual(new Set(['TOO_LONG']))
})
