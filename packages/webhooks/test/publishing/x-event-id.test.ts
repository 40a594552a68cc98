import { expect, test } from 'vitest'
import { xEventIdOf } from '../../src/publishing/x-event-id.js'

test('is the UUIDv5 of its namespace and name: the example of RFC 9562, appendix A.4', async () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  expect(await xEventIdOf(dns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
  expect(await xEventIdOf(dns.toUpperCase(), 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
})

test('differs by event and by lineage, and is a UUID of version 5', async () => {
  const [one, other] = ['0190c0de-0000-7000-8000-000000000001', '0190c0de-0000-7000-8000-000000000002']
  const ids = await Promise.all([xEventIdOf(one, one), xEventIdOf(one, other), xEventIdOf(other, one)])
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test.each(['', 'event-1', '0190c0de-0000-7000-8000-00000000000', '0190c0de-0000-7000-8000-00000000000g'])(
  'refuses %j as an event id',
  async (eventId) => {
    await expect(xEventIdOf(eventId, 'x')).rejects.toMatchObject({ code: 'ID_INVALID' })
  },
)
