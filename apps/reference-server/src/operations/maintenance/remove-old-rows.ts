import type { Retention } from '@kyc-relay/storage-drizzle/sqlite'

/**
 * Removes what has served its purpose, in bounded steps so that no write waits long.
 *
 * @param shouldContinue Asked before each step; what is left then is found by the next run.
 * @param onProgress Told after each step how many went so far.
 * @returns how many bodies, attempts and access tokens went.
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
