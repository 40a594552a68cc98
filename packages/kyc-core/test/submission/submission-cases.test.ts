import { describe, expect, it } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { acceptedCases } from './cases/accepted-cases.js'
import { acceptedCountries } from './cases/accepted-countries.js'
import { applyChange, CASES_NOW, type CaseGroup } from './cases/case-row.js'
import { refusedAddress } from './cases/refused-address.js'
import { refusedArguments } from './cases/refused-arguments.js'
import { refusedFreeForm } from './cases/refused-free-form.js'
import { refusedPerson } from './cases/refused-person.js'
import { refusedVerifications } from './cases/refused-verifications.js'
import { warnedCases } from './cases/warned-cases.js'

const now = new Date(CASES_NOW)
const brief = (remarks: readonly { readonly pointer: string; readonly code: string }[]): string[] =>
  remarks.map(({ pointer, code }) => `${pointer} ${code}`)

function runTable(title: string, groups: readonly CaseGroup[]): void {
  describe(title, () => {
    for (const { heading, rows } of groups) {
      describe(heading, () => {
        for (const [index, { what, change, policy, refused = [], warned = [] }] of rows.entries()) {
          it(`${index + 1}. ${what}`, () => {
            const parsed = parseSubmission(applyChange(change), { now, ...(policy ? { policy } : {}) })
            const violations = parsed.ok ? [] : brief(parsed.violations)
            const warnings = parsed.ok ? brief(parsed.warnings) : []
            expect({ violations, warnings }).toEqual({ violations: refused, warnings: warned })
          })
        }
      })
    }
  })
}

runTable('Refused', [
  ...refusedArguments,
  ...refusedPerson,
  ...refusedAddress,
  ...refusedVerifications,
  ...refusedFreeForm,
])
runTable('Accepted with a remark', warnedCases)
runTable('Accepted', [...acceptedCases, ...acceptedCountries])
