import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { propertyRuns } from '../../../../../scripts/test-sizes.js'
import { textArray } from '../../../src/engine/postgres/parameters.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
let client: pg.Client
beforeAll(async () => {
  server = await startPostgres()
  client = new pg.Client({ connectionString: await server.createDatabase() })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await server.stop()
})

async function readBack(texts: readonly (string | null)[]): Promise<(string | null)[] | undefined> {
  const { rows } = await client.query<{ texts: (string | null)[] }>('SELECT $1::text[] AS texts', [textArray(texts)])
  return rows[0]?.texts
}

const awkward = [
  ...['', 'NULL', 'null', ' a ', ',', '{}', '{"a":1}', '"', '\\', '\\"', '\\n', 'a\nb', '\r\n\t\b\f\v', '\u0001\u001f'],
  ...['\u007f', '\u2028\u2029', 'é', '😀', '"😀\\', 'x'.repeat(10_000), JSON.stringify({ body: 'a"b\\c\nd😀\ud800' })],
]

test('PostgreSQL reads what was given', async () => {
  expect(await readBack([...awkward, null])).toEqual([...awkward, null])
  expect(await readBack([])).toEqual([])
})

test('also any text that it can hold', async () => {
  const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (texts) => {
      expect(await readBack(texts)).toEqual(texts)
    }),
    propertyRuns(20_261_122, 100),
  )
})

test('and a lone surrogate as pg itself writes it', async () => {
  expect(await readBack(['a\ud800b'])).toEqual(['a\ufffdb'])
})
