import { WebhookError } from '../delivery/webhook-error.js'
import type { WithheldReason } from '../delivery/webhook-store.js'

/** Time after the first event in which at least one must be queued. */
const firstMinuteMs = 60_000

/** Watches the first minute of publishing, in which a wrong set-up shows: everything is withheld and nothing fails. */
export interface WithheldWatch {
  /** Counts an event; null for a queued one. */
  count(reason: WithheldReason | null): void
  /** Ends the first minute now, for the end of the process. */
  end(): void
}

/** @param tell Called once at most. */
export function createWithheldWatch(
  schedule: (callback: () => void, delayMs: number) => () => void,
  tell: (error: WebhookError) => void,
): WithheldWatch {
  const counts = new Map<WithheldReason, number>()
  let cancel: (() => void) | null = null
  let ended = false

  function end(): void {
    cancel?.()
    if (ended || counts.size === 0) return
    ended = true
    const reasons = [...counts].map(([reason, count]) => `${reason} ${count}`).join(', ')
    tell(new WebhookError('EVERYTHING_WITHHELD', [], `${reasons}.`))
  }

  return {
    count(reason) {
      if (ended) return
      if (reason === null) {
        ended = true
        cancel?.()
        return
      }
      cancel ??= schedule(end, firstMinuteMs)
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    },
    end,
  }
}
