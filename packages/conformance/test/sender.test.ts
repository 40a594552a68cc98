import { describe, expect, test } from 'vitest'
import { checkSender, senderCases } from '../src/index.js'
import { apiKey, createSender, type Mistake } from './wrong-sender.js'

const wrong: readonly (readonly [mistake: Mistake, caughtBy: readonly string[]])[] = [
  ['upper-case hex', ['TX-SIGN-1', 'TX-ID-2', 'TX-STANDARD-1', 'TX-TYPE-1']],
  ['signs other bytes', ['TX-SIGN-2', 'TX-ID-2', 'TX-STANDARD-1', 'TX-TYPE-1']],
  ['a new id for each attempt', ['TX-ID-2', 'TX-ID-3', 'TX-ANSWER-2', 'TX-ANSWER-3', 'TX-STANDARD-1']],
  ['follows redirects', ['TX-ANSWER-2']],
  ['no retry', ['TX-ID-2', 'TX-ANSWER-2', 'TX-ANSWER-3']],
  ['retries a 204', ['TX-ANSWER-1']],
  ['sends to removed endpoints', ['TX-REMOVE-1']],
  ['tests with a user', ['TX-TEST-1']],
  ['always signs Standard Webhooks', ['TX-STANDARD-2']],
  ['an old timestamp', ['TX-STANDARD-1']],
  ['an event type for declined transactions', ['TX-TYPE-1']],
  ['sends text', ['TX-REQUEST-1']],
]

async function failing(mistake: Mistake): Promise<string[]> {
  const timing = { timeoutMs: mistake === 'no retry' ? 300 : 10_000, quietMs: 50 }
  const options = {
    url: 'http://sender.example',
    apiKey,
    fetch: createSender(mistake),
    now: () => new Date(),
    ...timing,
  }
  const outcomes = await checkSender(options)
  expect(outcomes.map(({ id }) => id)).toEqual(senderCases.map(({ id }) => id))
  return outcomes.flatMap(({ id, state }) => (state === 'failed' ? [id] : []))
}

describe('the cases for senders', () => {
  test('pass a right sender', async () => {
    expect(await failing('none')).toEqual([])
  })

  test.each(wrong)('catch a sender with: %s', async (mistake, caughtBy) => {
    expect(await failing(mistake)).toEqual(caughtBy)
  })
})
