import { expect, test, vi } from 'vitest'
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
  ['base64 with dashes of a typesetter', Buffer.from('078–05–1120').toString('base64')],
  ['base64 with no-break spaces', Buffer.from('no 078\u00a005\u00a01120').toString('base64')],
  ['hexadecimal with dashes of a typesetter', Buffer.from('078–05–1120').toString('hex')],
  ['hexadecimal that begins with half a byte', `f${Buffer.from(SSN).toString('hex')}`],
  ['hexadecimal of UTF-16', utf16(SSN).toString('hex')],
  ['hexadecimal of UTF-16 with dashes', bigEndian(DASHED).toString('hex')],
  ['a Buffer in JSON', Buffer.from(SSN).toJSON()],
  ['a Buffer in JSON, with dashes', Buffer.from(DASHED).toJSON()],
  ['bytes in a text', JSON.stringify([...Buffer.from(SSN)])],
])('%s holds the submitted SSN', (_what, value) => {
  expect(codesOf(value)).toEqual(['CLEAR_PII_IN_FREE_FORM'])
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const hex = (text: string): string => Buffer.from(text).toString('hex')
const escapes = (before: string, after: string, base: number) => (text: string) =>
  [...text].map((character) => `${before}${character.charCodeAt(0).toString(base)}${after}`).join('')

const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['base64', base64],
  ['base64url', (text) => Buffer.from(text).toString('base64url')],
  ['base64 of UTF-16', (text) => utf16(text).toString('base64')],
  ['hexadecimal', hex],
  ['hexadecimal of UTF-16', (text) => bigEndian(text).toString('hex')],
  ['URL encoding', escapes('%', '', 16)],
  ['HTML entities', escapes('&#', ';', 10)],
  ['hexadecimal HTML entities', escapes('&#x', ';', 16)],
  ['escapes of JSON', escapes('\\u00', '', 16)],
  ['escapes of mail', escapes('=', '', 16)],
  ['JSON', (text) => JSON.stringify({ value: text })],
]

test.each(
  ENCODINGS.flatMap(([outer, encode]) => ENCODINGS.map(([inner, first]) => [outer, inner, encode, first] as const)),
)('%s of %s holds the submitted SSN', (_outer, _inner, encode, first) => {
  expect([SSN, DASHED].map((text) => codesOf(encode(first(text))))).toEqual(
    [SSN, DASHED].map(() => ['CLEAR_PII_IN_FREE_FORM']),
  )
})

const NUMBERS = ['078051120', '219099999', '456785678', '898989898', '001010001', '740019283']

test.each(
  ENCODINGS.flatMap(([outer, encode]) => ENCODINGS.map(([inner, first]) => [outer, inner, encode, first] as const)),
)('%s of %s holds any SSN, also without a document number', (_outer, _inner, encode, first) => {
  const isFound = (ssn: string, text: string): boolean => {
    const sample = sampleSubmission()
    const parsed = parseSubmission(
      {
        ...sample,
        person: { ...sample.person, ssn, ssnLast4: ssn.slice(-4) },
        verifications: {},
        externalProviderData: { raw: encode(first(text)) },
      },
      { now },
    )
    return !parsed.ok && parsed.violations.some(({ code }) => code === 'CLEAR_PII_IN_FREE_FORM')
  }
  const spellings = (ssn: string) => [ssn, `x${ssn}`, `xy${ssn}`, (ssn.match(/..?/g) ?? []).join(' ')]
  expect(NUMBERS.filter((ssn) => spellings(ssn).some((text) => !isFound(ssn, text)))).toEqual([])
})

test.each([
  ['octal escapes', escapes('\\0', '', 8)(SSN)],
  ['escapes of JavaScript with braces', escapes('\\u{', '}', 16)(SSN)],
  ['escapes of old browsers', escapes('%u00', '', 16)(SSN)],
  ['HTML entities filled with zeros', escapes('&#00000', ';', 10)(SSN)],
  ['base64 of full-width digits', base64('０７８０５１１２０')],
  ['base64 of Arabic digits', base64('٠٧٨-٠٥-١١٢٠')],
  ['hexadecimal of Arabic digits with dashes between them', hex('٠-٧-٨-٠-٥-١-١-٢-٠')],
  ['hexadecimal of full-width digits with spaces between them', hex('０ ７ ８ ０ ５ １ １ ２ ０')],
  ['hexadecimal of two digits each, with dashes of a typesetter', hex('07–80–51–12–0')],
  ['base64 of the digits backwards', base64([...SSN].reverse().join(''))],
  ['base64 of members of an object', base64(JSON.stringify({ a: '078', b: '05', c: '1120' }))],
  [
    'members of an object in the encoding of URLs',
    encodeURIComponent(JSON.stringify({ a: '078', b: '05', c: '1120' })),
  ],
  ['the payload of a token', `eyJhbGciOiJIUzI1NiJ9.${base64(JSON.stringify({ ssn: '219099999' }))}.c2ln`],
  ["base64 of somebody else's in JSON", base64(JSON.stringify({ ssn: '219099999' }))],
  ["somebody else's in JSON, in the encoding of URLs", encodeURIComponent(JSON.stringify({ ssn: '219099999' }))],
])('%s', (_what, value) => {
  expect(codesOf(value)).toEqual(['CLEAR_PII_IN_FREE_FORM'])
})

const NESTINGS: readonly (readonly [string, (json: string) => string])[] = [
  ['JSON', (json) => JSON.stringify(json)],
  ['lists', (json) => JSON.stringify([json])],
  ['members of objects', (json) => JSON.stringify({ answer: json })],
  ['base64', (json) => base64(JSON.stringify([json]))],
  ['URL encoding', (json) => encodeURIComponent(JSON.stringify([json]))],
]
const inTexts = (count: number, json: string, nest: (json: string) => string): string =>
  count === 1 ? json : nest(inTexts(count - 1, json, nest))

test.each(NESTINGS)('a text of JSON inside three more texts (%s) is searched like its content', (_what, nest) => {
  const hidden = [{ a: '078', b: '05', c: '1120' }, { ssn: '219099999' }, ['0211', '50', '870'], { '078-05-1120': 1 }]
  for (const json of hidden) {
    expect([1, 2, 3, 4].map((count) => codesOf(inTexts(count, JSON.stringify(json), nest)))).toEqual(
      [1, 2, 3, 4].map(() => ['CLEAR_PII_IN_FREE_FORM']),
    )
  }
})

test.each([
  ['base64 in lines', (json: string) => base64(json).replaceAll(/.{76}/g, '$&\r\n')],
  ['base64 before a line break', (json: string) => `${base64(json)}\n`],
  ['base64 behind a space', (json: string) => ` ${base64(json)}`],
  ['the encoding of forms', (json: string) => new URLSearchParams({ json }).toString().replace('json=', '')],
  ['URL encoding, twice', (json: string) => encodeURIComponent(encodeURIComponent(json))],
])('JSON in %s is searched like its content', (_what, encode) => {
  const answer = { provider: 'An answer of more than one line of base64.', formula: '1 + 1' }
  const hidden = [{ area: '078', group: '05', serial: '1120' }, { ssn: '219099999' }]
  for (const json of hidden) {
    expect(codesOf(encode(JSON.stringify({ ...answer, ...json }, null, 1)))).toEqual(['CLEAR_PII_IN_FREE_FORM'])
  }
  expect(codesOf(encode(JSON.stringify({ ...answer, ref: '219099999' }, null, 1)))).toEqual([])
})

test.each(NESTINGS)('a text of JSON inside four more texts (%s) is searched as text', (_what, nest) => {
  expect(codesOf(inTexts(5, JSON.stringify({ a: '078', b: '05', c: '1120' }), nest))).toEqual([])
  expect(codesOf(inTexts(5, JSON.stringify({ answer: `no. ${DASHED}` }), nest))).toEqual(['CLEAR_PII_IN_FREE_FORM'])
})

test('each text beside another is parsed as deep', () => {
  const json = inTexts(3, '{"a":"078","b":"05","c":"1120"}', JSON.stringify)
  expect(codesOf([...Array.from({ length: 9 }, () => inTexts(9, '[1]', JSON.stringify)), { json }])).toEqual([
    'CLEAR_PII_IN_FREE_FORM',
  ])
})

test.each(NESTINGS)('of ninety texts inside each other (%s) four are parsed', (_what, nest) => {
  let text = '["a"]'
  for (let levels = 1; levels < 90 && nest(text).length <= 32 * 1024; levels += 1) text = nest(text)
  const parse = vi.spyOn(JSON, 'parse')
  try {
    expect(codesOf(text)).toEqual([])
    expect(parse).toHaveBeenCalledTimes(4)
  } finally {
    parse.mockRestore()
  }
})

test.each(ENCODINGS)('%s of another number, encoded twice, does not', (_what, encode) => {
  expect(codesOf([base64(encode('219099999')), encode(base64('219099999')), encode(hex('740019283'))])).toEqual([])
})

test.each([
  ['a token without SSN', `eyJhbGciOiJIUzI1NiJ9.${base64(JSON.stringify({ sub: 'user-1', ref: '740019283' }))}.c2ln`],
  ['base64 of JSON', base64(JSON.stringify({ templateId: 'itmpl_1', ref: '740019283' }))],
  ['JSON in the encoding of URLs', encodeURIComponent(JSON.stringify({ ref: '740019283' }))],
  ['base64 that only begins like JSON', 'eyJhbGciOiJIUzI1NiJ9eyJ'],
  ['a path of Windows', 'C:\\060\\users\\071'],
])('%s is accepted', (_what, value) => {
  expect(codesOf(value)).toEqual([])
})

const withNumber = (documentNumber: string, raw: string) => {
  const { verifications } = sampleSubmission()
  const document = { ...verifications.document, documentNumber }
  return parseSubmission(
    sampleSubmission({ verifications: { ...verifications, document }, externalProviderData: { raw } }),
    { now },
  )
}

// The bytes of a quotation mark or of a letter that is not ASCII begin like `â` and `Ð`, which are letters of Latin-1.
test.each([
  ['X1234567', '„X1234567“'],
  ['X1234567', '«X1234567»'],
  ['X1234567', 'X1234567\u00a0ok'],
  ['X1234567', 'X–1234567'],
  ['АВ123456', 'no. АВ123456'],
  ['12АБ345678', '12АБ345678'],
  ['Ω1234567', '{"number":"Ω1234567"}'],
  ['АВ123456', 'АВ1-23456'],
])('the number %s is found in base64 and hexadecimal of %s', (documentNumber, text) => {
  for (const encode of [base64, hex]) {
    expect(withNumber(documentNumber, encode(text))).toMatchObject({ violations: [{ code: 'CLEAR_PII_IN_FREE_FORM' }] })
  }
})

test.each(['„X1234568“', 'X1234567號'])('%s in base64 is another number', (text) => {
  expect(withNumber('X1234567', base64(text)).ok).toBe(true)
})

test('the SSN between wide dashes and spaces is found in base64', () => {
  expect(codesOf(base64('078\u00a0–\u00a005\u00a0–\u00a01120'))).toEqual(['CLEAR_PII_IN_FREE_FORM'])
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
