/** A waiting delivery as it is read. */
export interface Waiting<Id> {
  readonly id: Id
  readonly dueAtMs: number
  /** Order of writing: decides between equal due times. */
  readonly position: number
}

/** An endpoint with free slots and the deliveries that could take them, longest due first. */
export interface EndpointSchedule<Id> {
  readonly failing: boolean
  /** Since when the endpoint waits for its next delivery. */
  readonly waitingSinceMs: number
  readonly waiting: readonly Waiting<Id>[]
}

/** One chosen delivery, with its endpoint. */
export interface Choice<Id, T extends EndpointSchedule<Id>> {
  readonly schedule: T
  readonly waiting: Waiting<Id>
}

/**
 * Which deliveries a claim takes: endpoints take turns, the one that waited longest first, and slots kept
 * for healthy endpoints stay empty rather than go to failing ones.
 *
 * Pure. PostgreSQL decides the same inside the statement that claims: equal rows give equal claims.
 */
export function chooseFairly<Id, T extends EndpointSchedule<Id>>(
  schedules: readonly T[],
  request: { readonly limit: number; readonly keepForHealthy: number },
): readonly Choice<Id, T>[] {
  let slotsForFailing = request.limit - request.keepForHealthy
  return schedules
    .flatMap((schedule) => schedule.waiting.map((waiting, round) => ({ schedule, waiting, round })))
    .sort(
      (one, other) =>
        one.round - other.round ||
        one.schedule.waitingSinceMs - other.schedule.waitingSinceMs ||
        one.waiting.dueAtMs - other.waiting.dueAtMs ||
        one.waiting.position - other.waiting.position,
    )
    .filter(({ schedule }) => !schedule.failing || slotsForFailing-- > 0)
    .slice(0, request.limit)
}
