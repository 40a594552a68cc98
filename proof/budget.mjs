/** How much a campaign does: until `seconds` have passed, or exactly `count` units, whichever is given. */
export function budgetOf({ seconds, count }) {
  const endMs = performance.now() + seconds * 1_000
  return {
    /** What was given, for a process that keeps to it by itself. */
    size: { seconds, count },
    /** Whether to stop after `done` units. */
    isSpent: (done) => (count === undefined ? performance.now() >= endMs : done >= count),
    /** Units that are left after `done`; null without a count. */
    left: (done) => (count === undefined ? null : count - done),
  }
}
