import { describe, expect, test } from 'vitest'
import { transitionTransactionStatus, type TransactionState } from '@kyc-relay/webhooks/internal'

const refused = 'TRANSITION_NOT_ALLOWED'
const moves: readonly (readonly [TransactionState, Exclude<TransactionState, 'NONE'>, string])[] = [
  ['NONE', 'PENDING', 'TRANSACTION_CREATE'],
  ['NONE', 'SETTLED', refused],
  ['NONE', 'DECLINED', 'TRANSACTION_DECLINE'],
  ['PENDING', 'PENDING', 'TRANSACTION_UPDATE'],
  ['PENDING', 'SETTLED', 'TRANSACTION_UPDATE'],
  ['PENDING', 'DECLINED', 'TRANSACTION_DECLINE'],
  ['SETTLED', 'PENDING', refused],
  ['SETTLED', 'SETTLED', 'TRANSACTION_UPDATE'],
  ['SETTLED', 'DECLINED', 'TRANSACTION_DECLINE'],
  ['DECLINED', 'PENDING', refused],
  ['DECLINED', 'SETTLED', refused],
  ['DECLINED', 'DECLINED', refused],
]

describe('transitionTransactionStatus', () => {
  test.each(moves)('%s to %s: %s', (current, next, outcome) => {
    const expected = outcome === refused ? { ok: false, code: refused } : { ok: true, eventType: outcome }
    expect(transitionTransactionStatus(current, next)).toEqual(expected)
  })

  test('every pair of states is in the table', () => {
    expect(new Set(moves.map(([current, next]) => `${current} ${next}`)).size).toBe(4 * 3)
  })
})
