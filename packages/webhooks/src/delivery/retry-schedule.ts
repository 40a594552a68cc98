/** Retry schedule of a failed delivery. All durations are in milliseconds. */
export interface RetryPolicy {
  /** Total number of attempts, including the first (docs/contract.md 10.2). Default 5. */
  readonly maxAttempts: number
  /** Delay after the first failed attempt. Default 30,000 (30 s). */
  readonly baseMs: number
  /** Factor between two delays. Default 6. */
  readonly factor: number
  /** Largest deviation of a delay from its nominal value, as a share from 0 to 1. Default 0.2. */
  readonly jitter: number
  /** Longest delay that `Retry-After` can request. Default 7,200,000 (2 h). */
  readonly maxRetryAfterMs: number
}

/** Default: five attempts, with delays of 30 s, 3 min, 18 min and 1 h 48 min, each ±20 %. */
export const defaultRetryPolicy: RetryPolicy = Object.freeze({
  maxAttempts: 5,
  baseMs: 30_000,
  factor: 6,
  jitter: 0.2,
  maxRetryAfterMs: 7_200_000,
})

/**
 * Computes the delay between a failed attempt and the next one: `baseMs × factor^(attempt − 1)`, ±`jitter`.
 *
 * @param attempt - number of the attempt that failed, 1 to `maxAttempts − 1`
 * @param policy - policy settings; missing ones have the defaults of {@link RetryPolicy}
 * @param random - returns a number from 0 up to 1, such as `Math.random`; without it the result is the nominal delay
 * @returns whole milliseconds
 * @throws RangeError when no attempt follows this one, `random` returns another number, or the policy has an unknown
 *   setting, one that is not a number of at least 0, or a `jitter` above 1
 *
 * @example
 * ```ts
 * import { retryDelayMs } from '@kyc-relay/webhooks'
 *
 * const nominal = [1, 2, 3, 4].map((attempt) => retryDelayMs(attempt)) // 30 s, 3 min, 18 min, 1 h 48 min
 * const jittered = retryDelayMs(1, {}, Math.random) // 24,000 to 36,000
 * ```
 */
export function retryDelayMs(
  attempt: number,
  policy: Partial<RetryPolicy> = {},
  random: () => number = () => 0.5,
): number {
  const standard = defaultRetryPolicy
  // A misspelt setting would have no effect, and null would be a delay of 0.
  for (const [name, value] of Object.entries(policy))
    if (!Object.hasOwn(standard, name) || !(value === undefined || (typeof value === 'number' && value >= 0)))
      throw new RangeError(
        'retryDelayMs: the policy has an unknown setting, or one that is not a number of at least 0.',
      )
  const { maxAttempts = standard.maxAttempts, baseMs = standard.baseMs } = policy
  const { factor = standard.factor, jitter = standard.jitter } = policy
  if (jitter > 1) throw new RangeError('retryDelayMs: jitter must be a share from 0 to 1.')
  if (!Number.isInteger(attempt) || attempt < 1 || attempt >= maxAttempts) {
    throw new RangeError('retryDelayMs: attempt must be a whole number from 1 to maxAttempts - 1.')
  }
  const chance = random()
  // NaN would be written as a time, which no store takes.
  if (!(chance >= 0 && chance <= 1)) throw new RangeError('retryDelayMs: random must return a number from 0 up to 1.')
  const nominalMs = baseMs * factor ** (attempt - 1)
  return Math.round(nominalMs * (1 - jitter + 2 * jitter * chance))
}

const imfFixdate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3): whole seconds, or an IMF-fixdate.
 *
 * Any other value gives null, so a broken header never moves a retry. This includes signs, fractions, lists and
 * obsolete date formats.
 *
 * @returns milliseconds from `now`, at least 0, or null
 */
export function parseRetryAfter(header: string | null | undefined, now: Date): number | null {
  if (header === null || header === undefined) return null
  const text = header.trim()
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1000
  if (!imfFixdate.test(text)) return null
  const atMs = Date.parse(text)
  // Date.parse accepts 31 Feb and 24:00, so the date is formatted again and compared, all but the day of the week.
  const exact = new Date(atMs).toUTCString().slice(5) === text.slice(5)
  return exact ? Math.max(0, atMs - now.getTime()) : null
}
