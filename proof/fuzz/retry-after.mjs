import { reportOfCause } from '@kyc-relay/webhooks/delivery'
import { attemptResultOf } from '../../packages/webhooks/test/for-proof.ts'
import { anyText } from './values.mjs'

/** The nominal delays and the longest that a receiver can ask for, as the contract says them. */
const nominalMs = [30_000, 180_000, 1_080_000, 6_480_000]
const mostMs = 7_200_000
const now = new Date('2026-02-28T23:59:30Z')
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'Jun', 'Dec', 'Foo', 'feb']

const digits = (random, most) => Array.from({ length: 1 + random.whole(most) }, () => random.whole(10)).join('')
const two = (random, most) => String(random.whole(most)).padStart(2, '0')

function dateText(random) {
  const year = random.pick(['2026', '2026', '2026', '2024', '1999', '0050', '99999', '26'])
  const time = `${two(random, 26)}:${two(random, 62)}:${two(random, 62)}`
  const zone = random.pick(['GMT', 'GMT', 'GMT', 'UTC', '+0000', 'gmt'])
  return `${random.pick(weekdays)}, ${two(random, 33)} ${random.pick(months)} ${year} ${time} ${zone}`
}

function headerText(random, marker) {
  const kinds = { near: 3, date: 3, seconds: 3, odd: 2, any: 1 }
  const kind = random.weighted(kinds)
  if (kind === 'near') return new Date(now.getTime() + (random.whole(20_000) - 5_000) * 1_000).toUTCString()
  if (kind === 'date') return dateText(random)
  if (kind === 'seconds') return digits(random, random.pick([4, 4, 17]))
  if (kind === 'any') return anyText(random, marker)
  return random.pick(['-1', '+1', '1.5', '1,2', '1e3', '0x10', '１２', '', ' 120 ', 'Infinity', '120s', '120\n'])
}

/**
 * What a header asks for, by RFC 9110: seconds, or a date that is printed exactly so; else nothing. Any weekday will do.
 */
function askedMs(header) {
  const text = header?.trim() ?? ''
  if (text !== '' && text.length <= 15 && [...text].every((one) => '0123456789'.includes(one)))
    return Number.parseInt(text, 10) * 1_000
  const date = new Date(text)
  if (Number.isNaN(date.getTime()) || !weekdays.includes(text.slice(0, 3))) return 0
  return text.length === 29 && date.toUTCString().slice(3) === text.slice(3) ? date.getTime() - now.getTime() : 0
}

/** The delay after a refusal: what the receiver asks for, not less than the schedule and not more than two hours. */
export function retryAfter(random, marker, { decide = attemptResultOf } = {}) {
  const attempt = 1 + random.whole(4)
  const share = random.whole(1_000) / 1_000
  const header = random.chance(0.02) ? undefined : headerText(random, marker)
  const report = {
    ...reportOfCause('HTTP_STATUS'),
    status: 503,
    responseHeaders: header === undefined ? {} : { 'retry-after': header },
  }
  const { next } = decide({ fence: { attempt }, unsentForMs: 0 }, report, { now, random: () => share })
  if (next.state !== 'PENDING') return `attempt ${attempt} of five was the last one`
  const scheduledMs = nominalMs[attempt - 1] * (0.8 + 0.4 * share)
  const expectedMs = Math.max(scheduledMs, Math.min(askedMs(header), mostMs))
  return Math.abs(next.delayMs - expectedMs) <= 1
    ? null
    : `attempt ${attempt} waits ${next.delayMs} ms instead of ${Math.round(expectedMs)} for ${JSON.stringify(header)}`
}

/** Known bugs. */
export const retryBugs = {
  'any-date-will-do': [
    'retryAfter',
    // What the engine reads as a date counts, for example 31 February.
    {
      decide: (attempt, report, context) => {
        const asked = report.responseHeaders['retry-after'] ?? ''
        const atMs = /^\w{3},/.test(asked) ? Date.parse(asked) : Number.NaN
        const header = Number.isNaN(atMs) ? asked : new Date(atMs).toUTCString()
        return attemptResultOf(attempt, { ...report, responseHeaders: { 'retry-after': header } }, context)
      },
    },
  ],
}
