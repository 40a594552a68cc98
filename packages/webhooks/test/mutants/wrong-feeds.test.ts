import { describe, expect, test } from 'vitest'
import type { FeedStore } from '../../src/delivery/index.js'
import { feedStoreCases } from '../../src/testing/index.js'
import { feedHarness } from '../testing/memory-handles.js'

type Spoil = NonNullable<Parameters<typeof feedHarness>[0]>
type Listed = NonNullable<Awaited<ReturnType<FeedStore['listAfter']>>>

const change =
  (by: (listed: Listed) => Listed): Spoil =>
  ({ store }) => ({
    store: { ...store, listAfter: async (request) => by((await store.listAfter(request)) ?? []) },
  })

/** One broken promise each, and the only case that notices. */
const wrong: readonly (readonly [what: string, caughtBy: string, spoil: Spoil])[] = [
  [
    'lists more than it is asked for',
    'FS-LIST-1',
    ({ store }) => ({
      store: { ...store, listAfter: (request) => store.listAfter({ ...request, limit: request.limit + 1 }) },
    }),
  ],
  [
    'parses the body and serialises it again',
    'FS-LIST-2',
    change((listed) =>
      listed.map((one) => {
        const text = new TextDecoder().decode(one.body ?? new Uint8Array())
        const body = text === '' ? '' : JSON.stringify(JSON.parse(text))
        return { ...one, body: new TextEncoder().encode(body) }
      }),
    ),
  ],
  [
    'leaves out events that were withheld',
    'FS-LIST-3',
    ({ store }, data) => ({
      store: {
        ...store,
        listAfter: async (request) =>
          (await store.listAfter(request))?.filter(
            ({ eventId }) => data.events.get(eventId)?.inserted.withheld === null,
          ) ?? null,
      },
    }),
  ],
  [
    'tells only the last delivery at each endpoint',
    'FS-LIST-4',
    change((listed) =>
      listed.map((one) => {
        const last = new Map(one.deliveries.map((delivery) => [delivery.endpointId, delivery]))
        return { ...one, deliveries: [...last.values()] }
      }),
    ),
  ],
  [
    'takes the cursor of another app',
    'FS-LIST-5',
    ({ store }) => ({
      store: {
        ...store,
        listAfter: (request) =>
          store.listAfter({ ...request, cursor: request.cursor.replace(/@.*/, `@${request.appId}`) }),
      },
    }),
  ],
  [
    'takes a text that is no cursor for the begin',
    'FS-LIST-5',
    ({ store }) => ({
      store: {
        ...store,
        listAfter: (request) =>
          store.listAfter(request.cursor.includes('@') ? request : { ...request, cursor: `0@${request.appId}` }),
      },
    }),
  ],
  [
    'begins after events of the time itself',
    'FS-CURSOR-1',
    ({ store }) => ({
      store: {
        ...store,
        findCursor: (request) => store.findCursor({ ...request, since: new Date(Number(request.since) + 1) }),
      },
    }),
  ],
  [
    'forgets its cursors once all was read',
    'FS-CURSOR-2',
    ({ store }) => {
      const ended = new Set<string>()
      return {
        store: {
          ...store,
          async listAfter(request) {
            if (ended.has(request.cursor)) return []
            const listed = await store.listAfter(request)
            if (listed?.length === 0 && !request.cursor.startsWith('0@')) ended.add(request.cursor)
            return listed
          },
        },
      }
    },
  ],
  [
    'begins after the last event of before the time',
    'FS-CURSOR-3',
    ({ store }, data) => ({
      store: {
        ...store,
        async findCursor({ appId, since }) {
          if (Number.isNaN(Number(since))) return store.findCursor({ appId, since })
          const events = [...data.events.values()].filter(({ event }) => event.appId === appId)
          const last = events.findLast(({ place }) => place.createdAt < since)
          return `${last?.place.position ?? 0}@${appId}`
        },
      },
    }),
  ],
  [
    'begins at the end without a time',
    'FS-CURSOR-4',
    ({ store }) => ({
      store: {
        ...store,
        findCursor: ({ appId, since }) =>
          store.findCursor({ appId, since: Number.isNaN(Number(since)) ? new Date(8e15) : since }),
      },
    }),
  ],
  [
    'shows events late, after those that came later',
    'FS-RACE-1',
    ({ store }) => {
      const seen = new Set<string>()
      return {
        store: {
          ...store,
          async listAfter(request) {
            const listed = await store.listAfter(request)
            if (request.limit !== 7) return listed
            const visible = listed?.filter(({ eventId }, n) => seen.has(eventId) || n % 2 === 1) ?? null
            for (const { eventId } of listed ?? []) seen.add(eventId)
            return visible
          },
        },
      }
    },
  ],
]

async function failingCases(spoil?: Spoil): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of feedStoreCases) await run(feedHarness(spoil)).catch(() => failing.push(id))
  return failing
}

describe('the cases of the feed', () => {
  test.each(wrong)('catch a feed that %s, by %s alone', async (_what, caughtBy, spoil) => {
    expect(await failingCases(spoil)).toEqual([caughtBy])
  })

  test('catch one wrong feed each', () => {
    const caught = new Set(wrong.map(([, caughtBy]) => caughtBy))
    expect([...caught].sort()).toEqual(feedStoreCases.map(({ id }) => id).sort())
  })
})
