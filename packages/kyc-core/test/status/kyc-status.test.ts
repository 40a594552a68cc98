import { describe, expect, it } from 'vitest'
import { declineCodes, transitionKycStatus } from '@kyc-relay/kyc-core'
import { KYC_STATUSES } from '../../src/status/kyc-status.js'
import { statusOutcomes } from '../../src/status/status-outcomes.js'

describe('transitionKycStatus', () => {
  it.each([
    ['UNVERIFIED', 'PASSED', 'US', 'PASS', true, 'VERIFIED'],
    ['UNVERIFIED', 'PASSED', 'NO', 'PASS_INTERNATIONAL', true, 'VERIFIED'],
    ['UNVERIFIED', 'PASSED', 'PR', 'PASS_INTERNATIONAL', true, 'VERIFIED'],
    ['UNVERIFIED', 'PASSED', 'us', 'PASS_INTERNATIONAL', true, 'VERIFIED'],
    ['UNVERIFIED', 'FAILED', 'US', 'UNVERIFIED', false, 'DECLINED'],
    ['PASS', 'PASSED', 'US', 'PASS', false, 'ALREADY_VERIFIED'],
    ['PASS', 'PASSED', 'NO', 'PASS', false, 'ALREADY_VERIFIED'],
    ['PASS', 'FAILED', 'US', 'PASS', false, 'DECLINED'],
    ['PASS_INTERNATIONAL', 'PASSED', 'US', 'PASS_INTERNATIONAL', false, 'ALREADY_VERIFIED'],
    ['PASS_INTERNATIONAL', 'PASSED', 'NO', 'PASS_INTERNATIONAL', false, 'ALREADY_VERIFIED'],
    ['PASS_INTERNATIONAL', 'FAILED', 'NO', 'PASS_INTERNATIONAL', false, 'DECLINED'],
  ] as const)('%s, %s, %s → %s', (current, decision, countryCode, next, changed, outcome) => {
    expect(transitionKycStatus(current, { decision, countryCode })).toEqual({ next, changed, outcome })
  })
})

describe('statusOutcomes', () => {
  it('a submission without an address is not one from the United States', () => {
    expect(statusOutcomes({ decision: 'PASSED', person: {} }, 'v-1').UNVERIFIED.next).toBe('PASS_INTERNATIONAL')
  })

  it('holds the outcome of every KYC status, with one verification id', () => {
    const outcomes = statusOutcomes({ decision: 'PASSED', person: { address: { countryCode: 'US' } } }, 'v-1')
    expect(Object.keys(outcomes)).toEqual([...KYC_STATUSES])
    expect(KYC_STATUSES.map((status) => [outcomes[status].next, outcomes[status].result.status])).toEqual([
      ['PASS', 'VERIFIED'],
      ['PASS', 'ALREADY_VERIFIED'],
      ['PASS_INTERNATIONAL', 'ALREADY_VERIFIED'],
    ])
    expect(new Set(KYC_STATUSES.map((status) => outcomes[status].result.verificationId))).toEqual(new Set(['v-1']))
    expect(outcomes.PASS.result.message).toContain('preserved')
  })
})

describe('declineCodes', () => {
  it('names failed checks in order of appearance, without repetition, and nothing else', () => {
    const check = (name: string, status: string) => ({ name, status })
    expect(
      declineCodes({
        document: {
          checks: [check('b', 'FAILED'), check('a', 'PASSED'), check('c', 'NOT_APPLICABLE'), check('a', 'FAILED')],
        },
        ssn: { checks: [check('b', 'FAILED'), check('z', 'FAILED')] },
        database: {},
      }),
    ).toEqual(['b', 'a', 'z'])
    expect(declineCodes({ database: { checks: [check('x', 'FAILED')] } })).toEqual(['x'])
    expect(declineCodes({})).toEqual([])
  })
})
