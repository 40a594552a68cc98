import { describe, expect, it } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { applyChange, CASES_NOW } from './cases/case-row.js'

/*
 * A pattern that can match a text in two ways tries 2^n ways when the text repeats it n times. Then one submission stops
 * the server. The limit ends such a search for the test; a busy machine does not meet it.
 */

const now = new Date(CASES_NOW)
const LONGEST_MS = 2_000

function milliseconds(pointer: string, value: string): number {
  const submission = applyChange({ [pointer]: value })
  const start = performance.now()
  parseSubmission(submission, { now })
  return performance.now() - start
}

const LINES = [
  ...[
    'BOX 1 ',
    'BOX # 1, ',
    'SITE 1 ',
    'GROUP 1 ',
    'COMP 1A ',
    'RR 1 ',
    'HC 1 BOX 1 ',
    'PSC 1 BOX 1 ',
    'P O ',
    'P. O. B ',
  ],
  ...[
    'P BAG ',
    'C. P. ',
    'APDO. , ',
    'CAS. ',
    'POST. ',
    'N ',
    '1 ',
    '10 KING ST ',
    'A/',
    'а / ',
    'ת . ',
    'ص ',
    ' ',
    ', ',
    "P'",
    'P;O:',
    'АБОН',
    'ПОЧТ. ',
    'ΤΑΧ',
    'W. D. T ',
    'ПОШ. ',
    'ABONENTSKA ',
    'BAG ',
    '私 書 ',
    'PACK-',
  ],
  ...['NEAR P.O. 1 ', 'OPP. G. P. O. ', 'LOT I', 'LOT II B P', 'LOT A ', 'POB ', 'POB # 1', '1 DE ', 'PO 1/', ', PO1'],
  ...['P.O. BAG', 'पोस्ट ', 'पो. बॉ', 'ፖ.ሳ'],
]

const NAMES = [
  '[a',
  '[a]',
  '@ A ',
  'A@ ',
  'A @',
  '"',
  '"a',
  '!',
  '||',
  'S/O : ',
  'ハ=',
  'ハー=',
  'محمد ',
  '﵀ ',
  '〇',
  'ក\u200b',
  '\u200b',
  'a°',
  'м*',
  '旧姓:',
  '【a',
  '〔a〕',
]

const TIMES = ['2026-01-05 10:00:00 +0000 A', '2026-01-05 10:00:00+00:00[a]', '2026-01-05 10:00:00 AAAAA']

describe('a text that repeats itself takes no time', () => {
  it.each(LINES)('line of an address: %j', (part) => {
    expect(milliseconds('/person/address/streetLine1', part.repeat(Math.floor(156 / part.length)))).toBeLessThan(
      LONGEST_MS,
    )
  })

  it.each(NAMES)('name: %j', (part) => {
    expect(milliseconds('/person/firstName', part.repeat(Math.floor(100 / part.length)))).toBeLessThan(LONGEST_MS)
  })

  it('document number beside many short texts', () => {
    const submission = applyChange({
      '/verifications/document/documentNumber': 'AB'.repeat(16_000),
      '/externalProviderData': { x: Array.from({ length: 9000 }, () => 'AB AB AC') },
    })
    const start = performance.now()
    parseSubmission(submission, { now })
    expect(performance.now() - start).toBeLessThan(LONGEST_MS)
  })

  it.each(TIMES)('time of the decision: %j', (start) => {
    for (const part of [' A', ' +1', '[a]', 'A', '1', ' '])
      expect(milliseconds('/decisionedAt', `${start}${part.repeat(1000)}!`)).toBeLessThan(LONGEST_MS)
  })

  it.each([
    '%30',
    '%2530',
    '078 ',
    '+1 ',
    '1-',
    '(0)',
    'O ',
    'OH',
    'ONE',
    'OCHO',
    '&amp;',
    '○',
    'data:',
    '12 A St ',
    '+12.1',
    '+12.1-',
    'SSN ',
    'SSN = "',
    'SOCIAL SECURITY NO. ',
    '&#0',
    '\\060',
    'ewog',
    'MDc4',
  ])('provider data: %j', (part) => {
    expect(milliseconds('/externalProviderData/phone', part.repeat(Math.floor(3000 / part.length)))).toBeLessThan(
      LONGEST_MS,
    )
  })
})
