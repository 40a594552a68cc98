import type { Retention } from '@kyc-relay/storage-drizzle/sqlite'
import type { PortalSessions } from '../../storage/portal-sessions.js'

const sessionsInAStep = 1_000

/** What removes old rows. */
export interface OldRows {
  readonly retention: Retention
  readonly portalSessions: Pick<PortalSessions, 'removeEnded'>
}

/**
 * Removes old rows in limited steps, so that no write waits long.
 *
 * @param shouldContinue Called before each step. The next run handles the rest.
 * @param onProgress Called after each step with the numbers so far.
 * @returns the number of removed bodies, attempts, access tokens and portal sessions.
 */
export async function removeOldRows(
  { retention, portalSessions }: OldRows,
  shouldContinue: () => boolean,
  onProgress: (removed: number) => void,
): Promise<number> {
  let removed = 0
  let more = true
  while (more && shouldContinue()) {
    const step = await retention.removeOld()
    const sessions = await portalSessions.removeEnded(sessionsInAStep)
    removed +=
      step.deliveriesExpired +
      step.bodiesBlanked +
      step.transactionsBlanked +
      step.attemptsRemoved +
      step.accessTokensRemoved +
      sessions
    more = step.more || sessions === sessionsInAStep
    onProgress(removed)
  }
  return removed
}
