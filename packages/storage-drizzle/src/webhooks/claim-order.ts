/** A waiting delivery as it is read. */
export interface Waiting<Id> {
  readonly id: Id
  readonly dueAtMs: number
  /** Order of writing: decides between equal due times. */
  readonly position: number
}

/** An endpoint with free places and the deliveries that could take them, longest due first. */
export interface Turn<Id> {
  readonly failing: boolean
  /** Since when the endpoint waits for its present turn. */
  readonly turnAtMs: number
  readonly waiting: readonly Waiting<Id>[]
}

/** One chosen delivery, with the turn it belongs to. */
export interface Choice<Id, T extends Turn<Id>> {
  readonly turn: T
  readonly waiting: Waiting<Id>
}

/**
 * Which deliveries a claim takes: endpoints take turns, who waited longest for the turn goes first, and places kept
 * for healthy endpoints stay empty rather than go to failing ones.
 *
 * Pure. PostgreSQL decides the same inside the statement that claims: equal rows give equal claims.
 */
export function chooseInTurn<Id, T extends Turn<Id>>(
  turns: readonly T[],
  request: { readonly limit: number; readonly keepForHealthy: number },
): readonly Choice<Id, T>[] {
  let placesForFailing = request.limit - request.keepForHealthy
  return turns
    .flatMap((turn) => turn.waiting.map((waiting, round) => ({ turn, waiting, round })))
    .sort(
      (one, other) =>
        one.round - other.round ||
        one.turn.turnAtMs - other.turn.turnAtMs ||
        one.waiting.dueAtMs - other.waiting.dueAtMs ||
        one.waiting.position - other.waiting.position,
    )
    .filter(({ turn }) => !turn.failing || placesForFailing-- > 0)
    .slice(0, request.limit)
}
