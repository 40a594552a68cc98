import { describe, expect, it } from 'vitest'
import { parseSubmission, type Submission } from '@kyc-relay/kyc-core'
import { applyChange, CASES_NOW, type CaseRow } from './cases/case-row.js'

function accepted(change: CaseRow['change']): Submission {
  const parsed = parseSubmission(applyChange(change), { now: new Date(CASES_NOW) })
  if (!parsed.ok) throw new Error(parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`).join())
  return parsed.submission
}

describe('an accepted submission', () => {
  it('has names without direction marks before and after them, and otherwise as they were sent', () => {
    const { person } = accepted({
      '/person/firstName': '\u200f\u200fרות\u061c',
      '/person/lastName': 'E\u0301lo-\u200dx\u200e',
    })
    expect(person).toMatchObject({ firstName: 'רות', lastName: 'E\u0301lo-\u200dx' })
  })

  it('has the lines of an address without line breaks', () => {
    const { person, verifications } = accepted({
      '/person/address/streetLine1': '22 Poplar Ave\r\nApt 4',
      '/person/address/streetLine2': 'Door\t2',
      '/person/address/city': 'Spring\n\nfield',
      '/verifications/document/address': { streetLine1: '22 POPLAR AVE\nAPT 4', city: 'A\u2028B' },
    })
    expect(person.address).toMatchObject({
      streetLine1: '22 Poplar Ave Apt 4',
      streetLine2: 'Door 2',
      city: 'Spring field',
    })
    expect(verifications.document?.address).toEqual({ streetLine1: '22 POPLAR AVE APT 4', city: 'A B' })
  })

  it('lacks empty optional texts', () => {
    const { person, verifications, ...rest } = accepted({
      '/decisionReason': '',
      '/decisionedAt': '',
      '/person/middleName': '',
      '/person/address/streetLine2': '',
      '/verifications/document/issueDate': '',
    })
    expect(rest).not.toHaveProperty('decisionReason')
    expect(rest.decisionedAt).toEqual(new Date(CASES_NOW))
    expect(person).not.toHaveProperty('middleName')
    expect(person.address).not.toHaveProperty('streetLine2')
    expect(verifications.document).not.toHaveProperty('issueDate')
  })

  it('was decided at the instant that its text names', () => {
    const instants = {
      '2026-01-05T10:00+05:30': '2026-01-05T04:30:00.000Z',
      '2026-01-05T10-05': '2026-01-05T15:00:00.000Z',
      '20260105 100000,25+0530': '2026-01-05T04:30:00.250Z',
      '2026-01-05T23:59:60Z': '2026-01-06T00:00:00.000Z',
      '2026-01-05T10:00:00+05:30:15': '2026-01-05T04:29:45.000Z',
      '2026-01-05T10:00:00−01:00[Atlantic/Azores]': '2026-01-05T11:00:00.000Z',
      '2026-01-05 10:00:00 -0500 EST': '2026-01-05T15:00:00.000Z',
    }
    for (const [text, instant] of Object.entries(instants)) {
      expect(accepted({ '/decisionedAt': text }).decisionedAt.toISOString(), text).toBe(instant)
    }
  })
})
