import { readFileSync } from 'node:fs'
import { parseSubmission } from '@kyc-relay/kyc-core'

const casesUrl = new URL('../../packages/kyc-core/schema/submission-cases.json', import.meta.url)
const { base } = JSON.parse(readFileSync(casesUrl, 'utf8'))
const now = new Date('2026-03-02T12:00:00Z')
const at = '/verifications/document'
const dayMs = 86_400_000
const hourMs = 3_600_000
const dayOf = (ms) => new Date(Math.floor(ms / dayMs) * dayMs).toISOString().slice(0, 10)

/** A value and the code of its violation, null if it has none. `undefined` leaves the field out. */
const ok = (value) => ({ value, code: null })
const bad = (code, value) => ({ value, code })

const required = (random, good, most) =>
  random.weighted({ good: 20, bad: 1 }) === 'good'
    ? ok(random.pick(good))
    : random.pick([
        ...[undefined, null, '', ' ', '\u3000 '].map((value) => bad('REQUIRED', value)),
        ...[7, true, [], {}].map((value) => bad('TYPE', value)),
        bad('TOO_LONG', 'x'.repeat(most + 1)),
        bad('TOO_LONG', '😀'.repeat(most + 1)),
        ok('x'.repeat(most)),
        ok('😀'.repeat(most)),
        ok('e\u0301'.repeat(most)),
      ])

const oneOf = (random, good) =>
  random.chance(0.95)
    ? ok(random.pick(good))
    : random.pick([
        bad('REQUIRED', undefined),
        bad('REQUIRED', null),
        bad('TYPE', 1),
        bad('ENUM', good[0].toLowerCase()),
        bad('ENUM', ''),
        bad('ENUM', `${good[0]} `),
      ])

/** Characters of a document number: what each counts, and whether it may stand there. */
const letters = ['A', 'z', '7', '٣', 'é', 'Ж', 'e\u0301', '李', 'Ⅷ', '𝟟']
const separators = [' ', '-', '–', '—', '−', '+', '.', '/', '*', '<', '(', ')']
const strangers = ['_', '#', ',', '"', '\\', '’', '=', '|', '\u00ad', 'x\u0301', '😀']

function documentNumber(random) {
  if (random.chance(0.03)) return random.pick([undefined, null, '', '  '].map((value) => bad('REQUIRED', value)))
  if (random.chance(0.03)) return bad('TYPE', random.pick([12_345_678, {}, false]))
  const length = random.pick([1, 2, 3, 8, 9, 63, 64, 65])
  const parts = Array.from({ length }, (_, index) => {
    const kind = random.weighted({ letter: index === 0 ? 40 : 6, separator: 2, stranger: length > 9 ? 0.02 : 0.1 })
    return { kind, text: random.pick({ letter: letters, separator: separators, stranger: strangers }[kind]) }
  })
  const value = parts.map(({ text }) => text).join('')
  const count = (some) => parts.filter(({ kind }) => kind === some).length
  const characters = parts.reduce((sum, { text }) => sum + (text === 'x\u0301' ? 2 : 1), 0)
  if (value.trim() === '') return bad('REQUIRED', value)
  if (characters > 64) return bad('TOO_LONG', value)
  // Spaces before the number are no part of it.
  const first = parts.find(({ text }) => text !== ' ')
  const isGood = count('stranger') === 0 && first.kind === 'letter' && count('letter') >= 2
  return isGood ? ok(value) : bad('FORMAT', value)
}

const country = (random) =>
  random.chance(0.9)
    ? ok(random.pick(['US', 'DE', 'PR', 'AX']))
    : random.pick([
        ...['us', 'USA', 'UK', 'XK', 'ZZ', 'U', 'EU'].map((value) => bad('COUNTRY_INVALID', value)),
        bad('REQUIRED', undefined),
        bad('TYPE', 840),
      ])

const subdivision = (random) =>
  random.pick([
    ...[undefined, null, '', 'IL', 'Île-de-France', '9', 'x'.repeat(255), ` ${'x'.repeat(254)}`].map(ok),
    ...['--', ' ', '…'].map((value) => bad('FORMAT', value)),
    bad('TOO_LONG', 'x'.repeat(256)),
    bad('TYPE', 5),
  ])

/** A day, often next to one that decides. */
function day(random, near) {
  if (random.chance(0.1)) return ok(random.pick([undefined, null, '']))
  if (random.chance(0.06))
    return random.pick(
      [
        ...['2024-02-30', '2023-02-29', '1900-02-29', '2024-2-3', '2024-13-01', '2024-00-10', '2024-01-00'],
        ...['2024-01-32', '20240101', '2024-01-01T00:00:00Z', ' ', 'today', '２０２４-01-01', '02024-01-01'],
      ].map((value) => bad('DATE_INVALID', value)),
    )
  if (random.chance(0.03)) return bad('TYPE', random.pick([20_240_101, {}, true]))
  const value = random.chance(0.6)
    ? dayOf(Date.parse(random.pick(near)) + (random.whole(5) - 2) * dayMs)
    : dayOf(Date.UTC(1975 + random.whole(65), random.whole(12), 1 + random.whole(31)))
  return ok(value)
}

const score = (random) =>
  random.pick([
    ...[undefined, null, 0, 100, 97.5, 1, 0.5, 0.999, -0].map(ok),
    ...[-0.1, 100.5, -1, 1e9].map((value) => bad('RANGE', value)),
    ...[2 ** 53, Number.NaN].map((value) => bad('UNSAFE_NUMBER', value)),
    ...['97', true, []].map((value) => bad('TYPE', value)),
  ])

/** A URL of parts: one wrong part is enough. */
function photoUrl(random) {
  const part = (good, wrong) => (random.chance(0.94) ? [random.pick(good), true] : [random.pick(wrong), false])
  const parts = [
    part(['https://', 'HTTPS://', 'hTTps://'], ['http:', 'http://', 'ftp://', '//', '', 'https:/', 'https:///']),
    part([''], ['me@', 'me:pw@', ':pw@', ' ']),
    part(
      [
        'photos.example.com',
        'a.b',
        'PHOTOS.EXAMPLE.COM',
        'xn--bcher-kva.example.org',
        'photos.example.com.',
        'bücher.com',
      ],
      [
        '127.0.0.1',
        '0x7f.1',
        '2130706433',
        '[::1]',
        'localhost',
        'host',
        'a.local',
        'a.test',
        'a_b.com',
        '-a.com',
        'a..b',
      ],
    ),
    part(['', ':443', ':8443', ':1024', ':65535', ':'], [':80', ':22', ':1023', ':6000', ':10080', ':65536', ':x']),
    part(['', '/', '/a/b.jpg?x=1', '?q', '/%20'], ['/a b', '\\a', '/\u00a0']),
  ]
  const value = parts.map(([text]) => text).join('')
  return parts.every(([, isGood]) => isGood) ? ok(value) : bad('PHOTO_URL_INVALID', value)
}

function photo(random, isRequired) {
  if (random.chance(0.05)) return bad('TYPE', 3)
  if (random.chance(0.05)) return bad('TOO_LONG', `https://photos.example.com/${'x'.repeat(4_096)}`)
  const isAbsent = random.chance(isRequired ? 0.05 : 0.5)
  if (!isAbsent) return photoUrl(random)
  if (isRequired) return bad('REQUIRED', random.pick([undefined, null, '', ' ']))
  return ok(random.pick([undefined, null]))
}

const checkNames = [
  ...['a', 'a_b', 'face_match', 'a1_2b', '7', 'x'.repeat(100)].map(ok),
  ...['A', 'a__b', '_a', 'a_', 'a-b', 'é', 'a b', 'a.b', 'a\u200b'].map((value) => bad('FORMAT', value)),
  bad('TOO_LONG', 'x'.repeat(101)),
  ...[undefined, null, '', ' '].map((value) => bad('REQUIRED', value)),
  bad('TYPE', 4),
]
const checkReasons = [
  ...[undefined, null, [], [''], ['one', 'two'], Array.from({ length: 500 }, () => 'why')].map(ok),
  bad(
    'TOO_LONG',
    Array.from({ length: 501 }, () => 'why'),
  ),
  ...['why', {}, 5].map((value) => bad('TYPE', value)),
]
const statuses = ['PASSED', 'FAILED', 'NOT_APPLICABLE']

/** Puts fields into one object and notes their violations. */
function objectOf(fields, pointer, found) {
  const object = {}
  for (const [name, { value, code }] of Object.entries(fields)) {
    if (value !== undefined) object[name] = value
    if (code !== null) found.push(`${pointer}/${name} ${code}`)
  }
  return object
}

function checks(random, found) {
  if (random.chance(0.03)) {
    found.push(`${at}/checks TYPE`)
    return random.pick(['none', {}, 4])
  }
  const length = random.chance(0.01) ? random.pick([500, 501]) : random.whole(4)
  if (length === 501) found.push(`${at}/checks TOO_LONG`)
  const mayBeWrong = length < 500
  return Array.from({ length }, (_, index) =>
    objectOf(
      {
        name: mayBeWrong && random.chance(0.4) ? random.pick(checkNames) : ok('face_match'),
        status: mayBeWrong ? oneOf(random, statuses) : ok('PASSED'),
        reasons: mayBeWrong ? random.pick(checkReasons) : ok(undefined),
      },
      `${at}/checks/${index}`,
      found,
    ),
  )
}

/** The rules between the dates, by day numbers. Only days that exist are compared. */
function datesOf({ issueDate, expirationDate }, { isFailed, decisionedMs, birth }, found, warned) {
  const number = ({ value, code }) => (code === null && value ? Date.parse(value) / dayMs : null)
  const [issued, expires, born] = [number(issueDate), number(expirationDate), Date.parse(birth) / dayMs]
  const refuse = (field, code) =>
    isFailed ? warned.push(`${at}/${field} DATES_IMPLAUSIBLE`) : found.push(`${at}/${field} ${code}`)
  // Somewhere on earth it is a day later than in UTC, up to fourteen hours ahead.
  const latestToday = Math.floor((now.getTime() + 14 * hourMs) / dayMs)
  if (issued !== null && issued > latestToday) refuse('issueDate', 'DATE_IN_FUTURE')
  else if (issued !== null && issued < born) refuse('issueDate', 'INCONSISTENT_DATES')
  if (expires === null) return
  const earliestDecision = Math.floor((decisionedMs - 12 * hourMs) / dayMs)
  if (issued !== null && expires < issued) refuse('expirationDate', 'INCONSISTENT_DATES')
  else if (!isFailed && expires < earliestDecision) warned.push(`${at}/expirationDate DOCUMENT_EXPIRED`)
}

/** A document and everything that the contract says about it, stated while it is made. */
export function documents(random, marker, { parse = parseSubmission } = {}) {
  const found = []
  const warned = []
  const decision = random.pick(['PASSED', 'PASSED', 'FAILED'])
  const decisionedAt = random.pick(['2026-01-05T10:00:00Z', '2026-01-05T13:00:00Z', '2026-01-05T11:59:59.999Z'])
  const near = [base.person.dateOfBirth, '2026-03-02', '2026-01-05', '2020-06-01']
  const fields = {
    verificationId: required(random, ['doc-0001', 'd'], 255),
    status: oneOf(random, ['PASSED', 'FAILED']),
    documentClass: oneOf(random, ['PASSPORT', 'DRIVER_LICENSE', 'GOVERNMENT_ID']),
    documentNumber: documentNumber(random),
    issuingCountryCode: country(random),
    issuingSubdivision: random.chance(0.7) ? ok(undefined) : subdivision(random),
    issueDate: day(random, near),
    expirationDate: day(random, near),
    confidenceScore: random.chance(0.5) ? ok(undefined) : score(random),
  }
  const document = objectOf(fields, at, found)
  if (random.chance(0.4)) {
    const photos = { front: photo(random, true), back: photo(random, false), selfie: photo(random, false) }
    document.photos = objectOf(photos, `${at}/photos`, found)
  }
  if (random.chance(0.5)) document.checks = checks(random, found)
  if (random.chance(0.03)) {
    document[marker] = 1
    found.push(`${at} UNKNOWN_FIELD`)
  }
  const isFailed = decision === 'FAILED'
  const known = { isFailed, decisionedMs: Date.parse(decisionedAt), birth: base.person.dateOfBirth }
  datesOf(fields, known, found, warned)
  const { confidenceScore, status } = fields
  if (confidenceScore.value > 0 && confidenceScore.value < 1)
    warned.push(`${at}/confidenceScore CONFIDENCE_SCALE_SUSPECT`)
  const hasFailed = [status.value, ...(document.checks?.map?.((check) => check.status) ?? [])].includes('FAILED')
  if (!isFailed && hasFailed) warned.push('/decision DECISION_EVIDENCE_MISMATCH')

  const verifications = { ...base.verifications, document }
  const result = parse({ ...base, decision, decisionedAt, verifications }, { now })
  const remarks = (list) =>
    list
      .map(({ pointer, code }) => `${pointer} ${code}`)
      .sort()
      .join(', ')
  const expected = { ok: found.length === 0, remarks: [...(found.length === 0 ? warned : found)].sort().join(', ') }
  const seen = { ok: result.ok, remarks: remarks(result.ok ? result.warnings : result.violations) }
  return expected.ok === seen.ok && expected.remarks === seen.remarks
    ? null
    : `a document gives "${seen.remarks}" instead of "${expected.remarks}"`
}

/** Known bugs. */
export const documentBugs = {
  'expiry-before-issue': [
    'documents',
    {
      parse: (input, options) => {
        const result = parseSubmission(input, options)
        if (result.ok) return result
        const left = result.violations.filter(
          ({ pointer, code }) => !(pointer.endsWith('/expirationDate') && code === 'INCONSISTENT_DATES'),
        )
        return left.length === 0 ? { ok: true, warnings: [] } : { ok: false, violations: left }
      },
    },
  ],
}
