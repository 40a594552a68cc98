import { sourceKey, type WrongStore } from './wrong-store.js'

/** Wrong stores of events with a `sourceEventId`, each caught by one case. */
export const wrongSources: readonly WrongStore[] = [
  [
    'tells the present state for an old sourceEventId',
    'TS-SOURCE-1',
    (store) => ({
      async findTransaction(request) {
        const { transaction, publishedBefore } = await store.findTransaction(request)
        const move = publishedBefore?.move && transaction && { ...publishedBefore.move, state: transaction.state }
        return { transaction, publishedBefore: publishedBefore && { ...publishedBefore, move: move ?? null } }
      },
    }),
  ],
  [
    'refuses a sourceEventId that the transaction itself had before with an error',
    'TS-SOURCE-2',
    (store, { moves, eventsBySource }) => ({
      async moveTransaction(move) {
        const known = moves.get(eventsBySource.get(sourceKey(move.appId, move.event.sourceEventId)) ?? '')
        if (known?.transactionId === move.transactionId) throw new Error('There is such a row.')
        return store.moveTransaction(move)
      },
    }),
  ],
  [
    'knows the source ids of transactions only',
    'TS-SOURCE-3',
    (store, data) => ({
      moveTransaction(move) {
        const key = sourceKey(move.event.appId, move.event.sourceEventId)
        const known = data.eventsBySource.get(key)
        if (known !== undefined && !data.moves.has(known)) data.eventsBySource.delete(key)
        return store.moveTransaction(move)
      },
    }),
  ],
  [
    'finds only events that moved something',
    'TS-SOURCE-3',
    (store) => ({
      async findTransaction(request) {
        const found = await store.findTransaction(request)
        return found.publishedBefore?.move === null ? { ...found, publishedBefore: null } : found
      },
    }),
  ],
  [
    'does not know the source ids of moves where it publishes an event alone',
    'TS-SOURCE-4',
    (store, data) => ({
      insertEvent(event) {
        const key = sourceKey(event.appId, event.sourceEventId)
        if (data.moves.has(data.eventsBySource.get(key) ?? '')) data.eventsBySource.delete(key)
        return store.insertEvent(event)
      },
    }),
  ],
  [
    'looks for the sourceEventId, then writes',
    'TS-SOURCE-5',
    (store, data) => ({
      async moveTransaction(move) {
        const key = sourceKey(move.event.appId, move.event.sourceEventId)
        const isNew = !data.eventsBySource.has(key)
        await Promise.resolve()
        if (isNew) data.eventsBySource.delete(key)
        return store.moveTransaction(move)
      },
    }),
  ],
  [
    'refuses a racing sourceEventId with an error',
    'TS-SOURCE-5',
    (store, data) => {
      let racers = 0
      return {
        async moveTransaction(move) {
          racers += 1
          await Promise.resolve()
          const written = await store.moveTransaction(move)
          const isKnown = data.eventsBySource.has(sourceKey(move.appId, move.event.sourceEventId))
          racers -= 1
          if (racers > 0 && written === 'stale' && isKnown) throw new Error('There is such a row.')
          return written
        },
      }
    },
  ],
  [
    'takes a sourceEventId for that of every app',
    'TS-SOURCE-6',
    (store, data) => ({
      moveTransaction(move) {
        const { appId, sourceEventId } = move.event
        const isOfOther = [...data.eventsBySource.keys()].some((key) => {
          const [ofApp, known] = JSON.parse(key) as [string, string]
          return known === sourceEventId && ofApp !== appId
        })
        return isOfOther ? Promise.resolve('stale') : store.moveTransaction(move)
      },
    }),
  ],
  [
    'delivers to the endpoints of another app',
    'TS-SOURCE-7',
    (store, { endpoints }) => ({
      moveTransaction(move) {
        const asked = move.event.deliveries.flatMap(({ endpointId }) => endpoints.get(endpointId) ?? [])
        const before = asked.map(({ endpoint }) => endpoint)
        for (const stored of asked) stored.endpoint = { ...stored.endpoint, appId: move.appId }
        const written = store.moveTransaction(move)
        for (const [n, stored] of asked.entries()) stored.endpoint = before[n] ?? stored.endpoint
        return written
      },
    }),
  ],
  [
    'forgets why an event was withheld',
    'TS-SOURCE-8',
    (store) => ({
      moveTransaction: (move) => store.moveTransaction({ ...move, event: { ...move.event, withheld: null } }),
    }),
  ],
  [
    'names the endpoint that a delivery had first',
    'TS-SOURCE-9',
    (store, { events }) => ({
      async findTransaction(request) {
        const found = await store.findTransaction(request)
        const before = found.publishedBefore
        const first = events.get(before?.event.eventId ?? '')?.inserted.deliveries
        return before && first
          ? { ...found, publishedBefore: { ...before, event: { ...before.event, deliveries: first } } }
          : found
      },
    }),
  ],
]
