/** Outcome of one case. */
export interface CaseOutcome {
  /** Stable id of the case, for example `RX-SIGN-1`. */
  readonly id: string
  /** The rule, a sentence with MUST. */
  readonly name: string
  /** `skipped` when the case needs something that was not given. */
  readonly state: 'passed' | 'failed' | 'skipped'
  /** What came instead, or why it was skipped; null when it passed. */
  readonly detail: string | null
}

/** A request failed, or its answer broke a rule. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
}

/** Runs one case. Its error is the detail of the outcome. */
export async function outcomeOf(
  { id, name }: { readonly id: string; readonly name: string },
  run: () => Promise<void>,
): Promise<CaseOutcome> {
  try {
    await run()
    return { id, name, state: 'passed', detail: null }
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error
    return { id, name, state: 'failed', detail: error.message }
  }
}

/** The outcome of a case that was not run. */
export function skipped({ id, name }: { readonly id: string; readonly name: string }, why: string): CaseOutcome {
  return { id, name, state: 'skipped', detail: why }
}
