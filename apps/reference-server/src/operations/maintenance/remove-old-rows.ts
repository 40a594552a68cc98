import type { Retention } from '@kyc-relay/storage-drizzle/sqlite'

/**
 * Removes old rows in limited steps, so that no write waits long.
 *
 * @param shouldContinue Called before each step. The next run handles the rest.
 * @param onProgress Called after each step with the numbers so far.
 * @returns the numbers of removed bodies, attempts and access tokens.
 */
export async function removeOldRows(
  retention: Retention,
  shouldContinue: () => boolean = () => true,
  onProgress: (removed: number) => void = () => undefined,
): Promise<number> {
  let removed = 0
  let more = true
  while (more && shouldContinue()) {
    const step = await retention.removeOld()
    removed += step.bodiesBlanked + step.attemptsRemoved + step.accessTokensRemoved + step.sessionsRemoved
    more = step.more
    onProgress(removed)
  }
  return removed
}
