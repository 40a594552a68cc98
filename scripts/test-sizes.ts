/*
 * How large the worlds of the tests are. Without the two variables every run of `npm test` is the same:
 * - TEST_SIZE=large makes simulated worlds as large as in production, and runs each property twenty times as often.
 * - TEST_SEED=<number> lets properties and simulations begin at another seed. A failure prints the seed it had.
 */
const isLarge = process.env['TEST_SIZE'] === 'large'
const seedOfRun = Number(process.env['TEST_SEED'] ?? 0)

/** The size for every run, or the one of TEST_SIZE=large. */
export function sized<T>(usual: T, large: T): T {
  return isLarge ? large : usual
}

/** Options of `fc.assert`. The property is run `numRuns` times with `seed`. */
export function propertyRuns(seed: number, numRuns = 100): { readonly seed: number; readonly numRuns: number } {
  return { seed: seed + seedOfRun, numRuns: sized(numRuns, numRuns * 20) }
}

/** `usual` seeds for a simulation, or `large` ones. */
export function seedsOf(usual: number, large: number): readonly number[] {
  return Array.from({ length: sized(usual, large) }, (_, index) => seedOfRun + index + 1)
}
