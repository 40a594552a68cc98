import { describe, expect, test } from 'vitest'
import { isAsTabled } from './old-and-new/case-table.mjs'
import { asListedNow, intendedDifferences } from './old-and-new/intended-differences.mjs'

// Each row of the list excuses one difference, and not its neighbour: a real regression must stay visible.

const graphql = { path: '/api/v1/graphql', method: 'POST' }
const code = (name) => ({ status: 200, body: { errors: [{ extensions: { code: name } }] } })
const place = [{ line: 1, column: 3 }]
const duplicate = { status: 202, body: { duplicate: true } }
const conflict = { status: 409, body: { code: 'SOURCE_EVENT_ID_CONFLICT' } }
const otherUsersId = { pointer: '/externalVerificationId', code: 'EXTERNAL_VERIFICATION_ID_CONFLICT' }
const nameMissing = { pointer: '/person/firstName', code: 'REQUIRED' }
const dryRunValid = '/body/data/validateKycVerification/valid'
const judged = (...violations) => ({
  body: { data: { validateKycVerification: { valid: violations.length === 0, violations } } },
})
const listedKeys = { path: '/api/v1/webhooks/keys', method: 'GET' }
const signingKey = { status: 200, body: { items: [{ version: 1, state: 'SIGNING' }] } }
const registered = { path: '/api/v1/webhooks', method: 'POST' }

const issued = { path: '/internal/v1/access-tokens', method: 'POST' }
const requestId = '/body/errors/0/extensions/requestId'
const listed = '/body/errors/0/extensions/violations'
const badRequest = code('BAD_REQUEST')
const readPage = {
  body: JSON.stringify({ query: 'query { kycVerifications(first: $first, after: $after) { nodes { status } } }' }),
}
const unknown = { status: 404, body: { status: 404, code: 'NOT_FOUND' } }
const blanked = { status: 409, body: { status: 409, code: 'BAD_REQUEST', detail: 'BODY_BLANKED' } }
const pending = { status: 409, body: { status: 409, code: 'BAD_REQUEST', detail: 'DELIVERY_PENDING' } }
const payloadMatches = '/body/extensions/idempotency/payloadMatches'
const zWithSpace = 'Refused: Time of the decision: "2026-01-05T10:00:00 Z"'
const said = (...violations) => ({ violations, warnings: [] })
const dateInvalid = { pointer: '/decisionedAt', code: 'DATE_INVALID' }

const cases = [
  {
    row: /^Endpoints tell/,
    one: { kind: 'endpoints', at: '/body/items/0/state', now: 'HEALTHY' },
    neighbours: [
      { kind: 'endpoints', at: '/body/items/0/state', before: 'HEALTHY', now: 'PAUSED' },
      { kind: 'submission', at: '/body/data/state', now: 'HEALTHY' },
    ],
  },
  {
    row: /^The list of API keys/,
    one: { kind: 'keys', command: listedKeys, at: '/body/items/0/standing', before: 'SIGNING', is: signingKey },
    neighbours: [
      { kind: 'keys', command: listedKeys, at: '/body/items/0/standing', before: 'WAITING', is: signingKey },
      { kind: 'endpoints', command: registered, at: '/body/items/0/standing', before: 'SIGNING', is: signingKey },
    ],
  },
  {
    row: /^A registration warns/,
    one: { kind: 'registration', command: registered, at: '/body/warnings', now: [], is: { status: 201 } },
    neighbours: [
      { kind: 'submission', command: graphql, at: '/body/extensions/warnings', now: [], is: { status: 200 } },
      { kind: 'registration', command: registered, at: '/body/warnings', now: [], is: { status: 400 } },
    ],
  },
  {
    row: /^A known sourceEventId/,
    one: { kind: 'event', command: { hasOtherContent: true }, at: '/status', was: duplicate, is: conflict },
    neighbours: [
      { kind: 'event', command: {}, at: '/status', was: duplicate, is: conflict },
      { kind: 'event', command: { hasOtherContent: true }, at: '/status', was: { status: 400 }, is: conflict },
      {
        kind: 'event',
        command: { hasOtherContent: true },
        at: '/status',
        was: duplicate,
        is: { status: 500, body: {} },
      },
    ],
  },
  {
    row: /^Every answer carries/,
    one: { kind: 'reading', at: '/headers/x-content-type-options', now: 'nosniff' },
    neighbours: [{ kind: 'reading', at: '/headers/x-content-type-options', before: 'nosniff', now: undefined }],
  },
  {
    row: /^Of the earlier table/,
    one: { kind: 'earlierCase', at: zWithSpace, before: said(dateInvalid), now: said() },
    neighbours: [
      { kind: 'case', at: zWithSpace, before: said(dateInvalid), now: said() },
      { kind: 'earlierCase', at: zWithSpace, before: said(), now: said(dateInvalid) },
      { kind: 'earlierCase', at: zWithSpace, before: said(dateInvalid), now: said(nameMissing) },
      { kind: 'earlierCase', at: zWithSpace, before: said(dateInvalid), now: { status: 500, codes: ['INTERNAL'] } },
      { kind: 'earlierCase', at: 'Refused: Names: 101 characters', before: said(nameMissing), now: said() },
    ],
  },
  {
    row: /^No cache may/,
    one: { kind: 'newUser', command: issued, at: '/headers/cache-control', now: 'no-store', is: { status: 201 } },
    neighbours: [
      { kind: 'newUser', command: issued, at: '/headers/cache-control', now: 'public', is: { status: 201 } },
      { kind: 'newUser', command: issued, at: '/headers/cache-control', before: 'public', now: 'no-store' },
      { kind: 'reading', command: graphql, at: '/headers/cache-control', now: 'no-store', is: { status: 201 } },
    ],
  },
  {
    row: /^A replay also matches/,
    one: { kind: 'replay', command: { isNewSpelling: true }, at: payloadMatches, before: false, now: true },
    neighbours: [
      { kind: 'replay', command: { isNewSpelling: true }, at: payloadMatches, before: true, now: false },
      { kind: 'replay', command: { isNewSpelling: true }, at: payloadMatches, before: false, now: null },
      { kind: 'replay', command: { isNewSpelling: false }, at: payloadMatches, before: false, now: true },
    ],
  },
  {
    row: /^A narrowed grant/,
    one: { kind: 'narrowedGrant', command: graphql, at: '/body/data', is: code('FORBIDDEN') },
    neighbours: [
      { kind: 'narrowedGrant', command: graphql, at: '/body/data', is: code('INTERNAL') },
      { kind: 'submission', command: graphql, at: '/body/data', is: code('FORBIDDEN') },
      { kind: 'end', at: '/audit/kinds/VERIFICATION_RECORDED', before: 9, now: 6, tally: { narrowed: 2 } },
    ],
  },
  {
    row: /^Tokens, grants/,
    one: { kind: 'end', at: '/audit/kinds/SIGNED_IN', now: 3 },
    neighbours: [{ kind: 'end', at: '/audit/kinds/VERIFICATION_RECORDED', now: 3 }],
  },
  {
    row: /^An erasure is an audit entry/,
    one: { kind: 'end', at: '/audit/kinds/ERASURE_STARTED', now: 2, tally: { erased: 2 } },
    neighbours: [{ kind: 'end', at: '/audit/kinds/ERASURE_STARTED', now: 3, tally: { erased: 2 } }],
  },
  {
    row: /^A user who has only events/,
    one: { kind: 'end', at: '/audit/kinds/OWNER_ERASED', before: 1, now: 2, tally: { erased: 2 } },
    neighbours: [
      { kind: 'end', at: '/audit/kinds/OWNER_ERASED', before: 1, now: 3, tally: { erased: 2 } },
      { kind: 'end', at: '/audit/kinds/OWNER_ERASED', before: 2, now: 1, tally: { erased: 2 } },
    ],
  },
  {
    row: /^A dry run says/,
    one: { kind: 'dryRun', at: dryRunValid, before: true, now: false, was: judged(), is: judged(otherUsersId) },
    neighbours: [
      { kind: 'submission', at: dryRunValid, before: true, now: false, was: judged(), is: judged(otherUsersId) },
      { kind: 'dryRun', at: dryRunValid, was: judged(), is: judged(otherUsersId, nameMissing) },
      { kind: 'dryRun', at: dryRunValid, was: judged(nameMissing), is: judged(otherUsersId) },
      { kind: 'dryRun', at: '/body/data/validateKycVerification/warnings/0', was: judged(), is: judged(otherUsersId) },
    ],
  },
  {
    row: /^Each try of a photo/,
    one: { kind: 'end', at: '/audit/kinds/VALUE_REVEALED', before: 1, now: 2 },
    neighbours: [{ kind: 'end', at: '/audit/kinds/USER_ERASED', before: 1, now: 2 }],
  },
  {
    row: /^The report of an erasure/,
    one: {
      kind: 'erasure',
      at: '/body/kept/4',
      now: 'Backups and files outside the service, as long as they are kept.',
    },
    neighbours: [{ kind: 'erasure', at: '/body/kept/4', now: 'The SSN.' }],
  },
  {
    row: /^An error of GraphQL syntax/,
    one: { kind: 'reading', at: '/body/errors/0/locations', now: place, is: code('GRAPHQL_VALIDATION_FAILED') },
    neighbours: [
      { kind: 'reading', at: '/body/errors/0/locations', now: place, is: code('VALIDATION_FAILED') },
      { kind: 'reading', at: '/body/errors/0/locations', now: ['078-05-1120'], is: code('GRAPHQL_PARSE_FAILED') },
    ],
  },
  {
    row: /^A cursor that is none/,
    one: { kind: 'erasure', command: readPage, at: requestId, now: '<requestId>', was: badRequest, is: badRequest },
    neighbours: [
      { kind: 'reading', command: readPage, at: requestId, now: '<requestId>', was: badRequest, is: code('INTERNAL') },
      {
        kind: 'reading',
        command: readPage,
        at: requestId,
        before: '<requestId>',
        now: undefined,
        was: badRequest,
        is: badRequest,
      },
      { kind: 'reading', command: readPage, at: listed, now: [nameMissing], was: badRequest, is: badRequest },
      { kind: 'reading', command: { body: '' }, at: listed, now: [], was: badRequest, is: badRequest },
      { kind: 'erasure', at: listed, now: [], was: badRequest, is: badRequest },
    ],
  },
  {
    row: /^A resend says/,
    one: { kind: 'resend', at: '/status', before: 404, now: 409, was: unknown, is: blanked },
    neighbours: [
      { kind: 'resend', at: '/status', before: 404, now: 409, was: unknown, is: pending },
      { kind: 'resend', at: '/status', before: 202, now: 409, was: { status: 202 }, is: blanked },
      { kind: 'resend', at: '/headers/etag', before: 'a', now: 'b', was: unknown, is: blanked },
    ],
  },
  {
    row: /^A refusal of the API/,
    one: { kind: 'resend', at: '/headers/ratelimit', now: '<ratelimit>', is: { status: 409 } },
    neighbours: [{ kind: 'resend', at: '/headers/ratelimit', now: '<ratelimit>', is: { status: 202 } }],
  },
  {
    row: /^The explanations of attempts/,
    one: { kind: 'settle', at: '/a/detail/attempts/0/explanation/cause', before: 'It failed.', now: 'It timed out.' },
    neighbours: [
      { kind: 'settle', at: '/a/detail/attempts/0/cause', before: 'TIMEOUT', now: 'REDIRECT' },
      { kind: 'settle', at: '/a/detail/attempts/0/explanation/cause', before: 'It failed.', now: undefined },
    ],
  },
  {
    row: /^Fixed texts/,
    one: { kind: 'badRequest', at: '/body/errors/0/message', before: 'No.', now: 'Not allowed.' },
    neighbours: [
      { kind: 'badRequest', at: '/body/errors/0/extensions/code', before: 'FORBIDDEN', now: 'INTERNAL' },
      { kind: 'badRequest', at: '/body/errors/0/message', before: 'No.', now: undefined },
    ],
  },
]

const rowsOf = (given) => {
  const one = { command: null, before: undefined, now: undefined, was: {}, is: {}, tally: {}, ...given }
  return intendedDifferences.filter(({ matches }) => matches(one, one)).map(({ why }) => why)
}

describe('an intended difference', () => {
  test.each(cases)('$row excuses what it is for, and no neighbour', ({ row, one, neighbours }) => {
    expect(rowsOf(one)).toEqual([expect.stringMatching(row)])
    for (const neighbour of neighbours) expect(rowsOf(neighbour), JSON.stringify(neighbour)).toEqual([])
  })

  test('each row has a case here', () => {
    const without = intendedDifferences.filter(({ why }) => !cases.some(({ row }) => row.test(why)))
    expect(without).toEqual([])
  })
})

describe('a row of the case table that only one version knows', () => {
  const row = { violations: [{ pointer: '/person/lastName', code: 'REQUIRED' }], warnings: [] }
  test('is a new rule if this version says what the table says', () => {
    expect(isAsTabled(row, { violations: row.violations, warnings: [] })).toBe(true)
  })
  test.each([
    { violations: [], warnings: [] },
    { violations: [{ pointer: '/person/lastName', code: 'FORMAT' }], warnings: [] },
    { violations: [...row.violations, { pointer: '/decision', code: 'ENUM' }], warnings: [] },
    { status: 500, codes: ['INTERNAL'] },
  ])('and a difference otherwise: %j', (answer) => expect(isAsTabled(row, answer)).toBe(false))
})

test('violations of the earlier version are listed as this one lists them: an unknown field by its object', () => {
  const violations = [{ pointer: '/person/nickname', code: 'UNKNOWN_FIELD' }]
  expect(asListedNow({ violations })).toEqual({ violations: [{ pointer: '/person', code: 'UNKNOWN_FIELD' }] })
})
