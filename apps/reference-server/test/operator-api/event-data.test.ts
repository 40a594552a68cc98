import { expect, it } from 'vitest'
import { transactionData } from '../../src/operator-api/field-schemas.js'

it.each([
  ['2026-01-05 10:00:00+05', '2026-01-05T05:00:00.000Z'],
  ['2026-01-05T10:00', '2026-01-05T10:00:00.000Z'],
  ['20260105T100000,5Z', '2026-01-05T10:00:00.500Z'],
  ['2026-01-05T10:00:00+01:00[Europe/Paris]', '2026-01-05T09:00:00.000Z'],
  ['2026-01-05T10:00:00Z[Foo/Bar]', '2026-01-05T10:00:00.000Z'],
  ['2026-01-05T10:00+01:00', '2026-01-05T09:00:00.000Z'],
  ['2026-01-05T23:59:60Z', '2026-01-06T00:00:00.000Z'],
  // RFC 3339 stays as it was sent, and what is no time is left to the schema of the event.
  ['2026-01-05T10:00:00+01:00', '2026-01-05T10:00:00+01:00'],
  ['yesterday', 'yesterday'],
  [5, 5],
])('a time of a transaction: %s is %s', (sent, read) => {
  const fields = (time: unknown) => ({ createdAt: time, updatedAt: time, transactionDateTime: time })
  expect(transactionData.parse({ ...fields(sent), description: sent })).toEqual({ ...fields(read), description: sent })
})
