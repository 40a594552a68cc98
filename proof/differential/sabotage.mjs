const inPort = (port, change) => (stores) => ({ ...stores, [port]: { ...stores[port], ...change(stores[port]) } })
const inWebhooks = (change) => inPort('webhooks', change)

/** Known bugs of one of the stores, each with the command whose answer, or the rows that, show it. */
export const sabotages = {
  'partner-resumes-operator': {
    what: 'a partner resumes what an operator paused',
    breaks: /SQLite: resume differs/,
    spoil: inWebhooks(({ resumeEndpoint }) => ({
      resumeEndpoint: (request) => resumeEndpoint({ ...request, by: 'OPERATOR' }),
    })),
  },
  'claims-one-less': {
    what: 'a claim of several takes one less',
    breaks: /SQLite: claim differs/,
    spoil: inWebhooks(({ claimDue }) => ({
      claimDue: (request) => claimDue({ ...request, limit: Math.max(1, request.limit - 1) }),
    })),
  },
  'loses-a-result': {
    what: 'the last of several results is not recorded',
    breaks: /SQLite: .* differs/,
    spoil: inWebhooks(({ recordAttemptResults }) => ({
      recordAttemptResults: (results) => recordAttemptResults(results.length > 1 ? results.slice(0, -1) : results),
    })),
  },
  'cancels-nothing': {
    what: 'a cancellation finds nothing',
    breaks: /SQLite: cancel differs/,
    spoil: inWebhooks(() => ({ cancelPending: async () => 0 })),
  },
  'retries-late': {
    what: 'a retry comes a millisecond late',
    breaks: /SQLite: .* differs/,
    spoil: inWebhooks(({ recordAttemptResults }) => ({
      recordAttemptResults: (results) =>
        recordAttemptResults(
          results.map((one) =>
            one.next.state === 'PENDING' ? { ...one, next: { ...one.next, delayMs: one.next.delayMs + 1 } } : one,
          ),
        ),
    })),
  },
  'recovers-again': {
    what: 'a recovery looks at acknowledged events as if nobody had them',
    breaks: /SQLite: stepRecovery differs/,
    spoil: inPort('recoveries', ({ listEvents }) => ({
      listEvents: async (range) => (await listEvents(range)).map((event) => ({ ...event, delivered: null })),
    })),
  },
  'moves-from-any-revision': {
    what: 'a transaction changes, whatever its revision',
    breaks: /SQLite: moveTransaction differs/,
    spoil: inPort('transactions', ({ findTransaction, moveTransaction }) => ({
      async moveTransaction(move) {
        const { transaction } = await findTransaction({ ...move, sourceEventId: null })
        return moveTransaction({ ...move, fromRevision: transaction?.revision ?? 0 })
      },
    })),
  },
  'feed-without-tests': {
    what: 'the feed leaves out test events',
    breaks: /SQLite: the rows at the end differs/,
    spoil: inPort('feed', ({ listAfter }) => ({
      listAfter: async (request) => (await listAfter(request))?.filter(({ test }) => !test) ?? null,
    })),
  },
  'writes-over-all-shards': {
    what: 'a write names no app',
    breaks: /a statement names no shard: UPDATE kyc_relay_endpoints/,
    statement: 'UPDATE kyc_relay_endpoints SET url = url',
  },
  'records-a-replay': {
    what: 'a submission is recorded under an id of its own again',
    breaks: /SQLite: record differs/,
    spoil(stores) {
      let count = 0
      const record = (recording) => {
        count += 1
        const { key } = recording
        const own = { ...key, externalVerificationId: `${key.externalVerificationId} ${count}` }
        return stores.verifications.record({ ...recording, key: own })
      }
      return { ...stores, verifications: { ...stores.verifications, record } }
    },
  },
}
