/** A waiting delivery. */
export interface Waiting<Id> {
  readonly id: Id
  readonly dueAtMs: number
  /** Order of writing, for equal due times. */
  readonly position: number
}

/** An endpoint with free slots and its candidate deliveries, earliest due first. */
export interface EndpointSchedule<Id> {
  readonly failing: boolean
  /** Time since which the endpoint waits for its next delivery. */
  readonly waitingSinceMs: number
  readonly waiting: readonly Waiting<Id>[]
}

/** One chosen delivery, with its endpoint. */
export interface Choice<Id, T extends EndpointSchedule<Id>> {
  readonly schedule: T
  readonly waiting: Waiting<Id>
}

/**
 * Selects the deliveries of a claim. Endpoints take turns, starting with the one that waited longest. Slots kept for
 * healthy endpoints are never given to failing ones.
 *
 * Pure. Both databases select with it.
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
