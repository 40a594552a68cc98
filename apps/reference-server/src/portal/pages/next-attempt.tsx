import type { FC } from 'hono/jsx'
import { Instant } from './components.js'

/** Says when the next attempt of a pending delivery comes. A due time in the past is no time to show. */
export const NextAttempt: FC<{ readonly at: Date; readonly now: Date; readonly isPaused: boolean }> = ({
  at,
  now,
  isPaused,
}) =>
  isPaused ? (
    <>URL is paused</>
  ) : at > now ? (
    <>
      next <Instant at={at} relative />
    </>
  ) : (
    <>due now</>
  )
