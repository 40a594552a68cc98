import { describe, expect, it } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { applyChange, CASES_NOW } from './cases/case-row.js'
import { CASE_TABLES } from './cases/case-tables.js'

const brief = (remarks: readonly { readonly pointer: string; readonly code: string }[]): string[] =>
  remarks.map(({ pointer, code }) => `${pointer} ${code}`)

for (const { title, groups } of CASE_TABLES) {
  describe(title, () => {
    for (const { heading, rows } of groups) {
      describe(heading, () => {
        for (const [index, { what, change, policy, refused = [], warned = [] }] of rows.entries()) {
          it(`${index + 1}. ${what}`, () => {
            const parsed = parseSubmission(applyChange(change), {
              now: new Date(CASES_NOW),
              ...(policy ? { policy } : {}),
            })
            const violations = parsed.ok ? [] : brief(parsed.violations)
            const warnings = parsed.ok ? brief(parsed.warnings) : []
            expect({ violations, warnings }).toEqual({ violations: refused, warnings: warned })
          })
        }
      })
    }
  })
}
