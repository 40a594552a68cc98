import type { Spoil, WrongStore } from './wrong-store.js'

/** Looks at the revision, then writes, for the moves for which `when` holds. */
const racing =
  (when: (fromRevision: number) => boolean): Spoil =>
  (store, data) => ({
    async moveTransaction(move) {
      if (!when(move.fromRevision)) return store.moveTransaction(move)
      const { transaction } = await store.findTransaction({ ...move, sourceEventId: null })
      if ((transaction?.revision ?? 0) !== move.fromRevision) return 'stale'
      await Promise.resolve()
      if (transaction === null) data.transactions.delete(move.transactionId)
      else data.transactions.set(move.transactionId, transaction)
      return store.moveTransaction(move)
    },
  })

/** Wrong stores of moves, each caught by one case. */
export const wrongMoves: readonly WrongStore[] = [
  [
    'refuses a look-up of an unknown transaction without an app',
    'TS-MOVE-1',
    (store, { transactions }) => ({
      async findTransaction(request) {
        const isUnknown = request.appId === null && !transactions.has(request.transactionId)
        return isUnknown ? Promise.reject(new Error('Whose transaction?')) : store.findTransaction(request)
      },
    }),
  ],
  [
    'makes the first delivery of a move only',
    'TS-MOVE-2',
    (store, { endpoints }) => ({
      moveTransaction(move) {
        const live = move.event.deliveries.filter(({ endpointId }) => {
          const stored = endpoints.get(endpointId)
          return stored?.removed === false && stored.endpoint.appId === move.appId
        })
        return store.moveTransaction({ ...move, event: { ...move.event, deliveries: live.slice(0, 1) } })
      },
    }),
  ],
  [
    'keeps the fields where a move has none',
    'TS-MOVE-3',
    (store, { transactions }) => ({
      moveTransaction: (move) =>
        store.moveTransaction({ ...move, fields: move.fields ?? transactions.get(move.transactionId)?.fields ?? null }),
    }),
  ],
  [
    'takes a revision that is ahead',
    'TS-MOVE-4',
    (store, { transactions }) => ({
      async moveTransaction(move) {
        const { transactionId, fromRevision } = move
        const before = transactions.get(transactionId)
        const isAhead = before !== undefined && fromRevision > before.revision
        return store.moveTransaction(isAhead ? { ...move, fromRevision: before.revision } : move)
      },
    }),
  ],
  ['looks at the revision, then writes', 'TS-MOVE-5', racing((fromRevision) => fromRevision > 0)],
  ['looks whether a transaction is known, then writes', 'TS-MOVE-6', racing((fromRevision) => fromRevision === 0)],
  [
    'keeps the state when the event cannot be written',
    'TS-MOVE-7',
    (store, { transactions }) => ({
      async moveTransaction(move) {
        const { transactionId, appId, userId, next: state, fields } = move
        try {
          return await store.moveTransaction(move)
        } catch (error) {
          const revision = move.fromRevision + 1
          transactions.set(transactionId, { transactionId, appId, userId, state, revision, fields })
          throw error
        }
      },
    }),
  ],
  [
    'drops fields that are null',
    'TS-MOVE-8',
    (store) => ({
      moveTransaction: (move) =>
        store.moveTransaction({
          ...move,
          fields: move.fields && Object.fromEntries(Object.entries(move.fields).filter(([, value]) => value !== null)),
        }),
    }),
  ],
  [
    'gives out what it keeps',
    'TS-MOVE-9',
    (store, { transactions }) => ({
      async findTransaction(request) {
        const found = await store.findTransaction(request)
        return { ...found, transaction: transactions.get(request.transactionId) ?? null }
      },
    }),
  ],
  [
    'forgets source ids when it is closed',
    'TS-MOVE-10',
    (_store, { eventsBySource }, onClosed) => {
      onClosed(() => eventsBySource.clear())
      return {}
    },
  ],
  [
    'repeats values in its errors',
    'TS-MOVE-11',
    (store) => ({
      moveTransaction: (move) =>
        store.moveTransaction(move).catch(() => {
          throw new Error(`Not written: ${JSON.stringify(move)}`)
        }),
    }),
  ],
  [
    'ignores the transaction of a look-up of deliveries',
    'TS-MOVE-12',
    (store) => ({ listDeliveries: ({ transactionId: _ignored, ...request }) => store.listDeliveries(request) }),
  ],
]
