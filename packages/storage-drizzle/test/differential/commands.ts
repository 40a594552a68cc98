import fc from 'fast-check'

const app = fc.nat({ max: 1 })
const user = fc.nat({ max: 2 })
const pick = fc.nat({ max: 1_000 })
const eventType = fc.constantFrom('WIDGET_DEPOSIT_COMPLETE' as const, 'TRANSACTION_CREATE' as const)
const pauser = fc.constantFrom('PARTNER' as const, 'OPERATOR' as const)
const types = fc.option(fc.uniqueArray(eventType, { minLength: 1 }), { freq: 2 })
const hooks = fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 4 })
const source = fc.option(fc.nat({ max: 3 }))
const rarely = fc.nat({ max: 5 }).map((n) => n === 0)
const command = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('register' as const), app, url: fc.nat({ max: 4 }), types }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('replace' as const), app, pick, url: fc.nat({ max: 6 }), types }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), app, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), app, pick, by: pauser }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resume' as const), app, pick, by: pauser }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      app,
      user,
      hooks,
      type: eventType,
      source,
      test: rarely,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      limit: fc.integer({ min: 1, max: 6 }),
      keepForHealthy: fc.nat({ max: 4 }),
      healthy: fc.integer({ min: 1, max: 4 }),
      failing: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('recordAttemptResults' as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
      how: fc.constantFrom('DELIVERED', 'FAILED', 'RETRY', 'UNSENT', 'CANCELLED', 'INTERRUPTED'),
      delayMs: fc.nat({ max: 5_000 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat({ max: 20_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constant(1_800_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('takeOver' as const), limit: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), app, user }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resend' as const), app, pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('recover' as const),
      app,
      pick,
      rangeMs: fc.nat({ max: 3_600_000 }),
      untilMsAgo: fc.option(fc.nat({ max: 10_000 })),
      types,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('stepRecovery' as const),
      pick,
      limit: fc.integer({ min: 1, max: 4 }),
      mostWaiting: fc.integer({ min: 1, max: 4 }),
      outdated: rarely,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stopRecovery' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('moveTransaction' as const),
      app,
      user,
      hooks,
      source,
      transaction: fc.nat({ max: 2 }),
      next: fc.constantFrom('PENDING' as const, 'SETTLED' as const, 'DECLINED' as const),
      outdated: rarely,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      app,
      user,
      external: fc.nat({ max: 5 }),
      decision: fc.constantFrom('PASSED' as const, 'FAILED' as const),
    }),
  },
)

/** What one step does. */
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** Sequences of commands, each `longest` at most. */
export const sequencesOf = (longest: number) => fc.array(command, { minLength: 10, maxLength: longest, size: 'max' })

/** The sequence of a seed. */
export const commandsOf = (seed: number, longest: number): readonly Command[] =>
  fc.sample(sequencesOf(longest), { seed, numRuns: 1 })[0] ?? []

/**
 * The same commands, all of one app. With tables distributed by app, a claim gives several apps equal parts of its slots and leaves
 * the rest to the next claim, so only the claims of one app are those of the other stores.
 */
export const ofOneApp = (commands: readonly Command[]): readonly Command[] =>
  commands.map((one) => ('app' in one ? { ...one, app: 0 } : one))
