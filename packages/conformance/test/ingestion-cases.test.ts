import { createHash } from 'node:crypto'
import { parseSubmission } from '@kyc-relay/kyc-core'
import file from '@kyc-relay/kyc-core/schema/submission-cases.json'
import { format } from 'prettier'
import { expect, test } from 'vitest'
import { applyPatch } from '../src/ingestion/apply-patch.js'
import { ingestionCases, type Change } from '../src/ingestion/ingestion-case.js'

/** A live endpoint judges by its own clock: cases whose verdict depends on the day are left out. */
const years = [0, 1, 5, 20]

function linesAfter(submission: unknown, yearsLater: number): string {
  const now = new Date(file.now)
  now.setUTCFullYear(now.getUTCFullYear() + yearsLater)
  const parsed = parseSubmission(submission, { now })
  return parsed.ok ? '' : parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`).join()
}

const setsId = ({ path }: { readonly path: string }) => path === '/externalVerificationId'

test('each accepted submission has a fresh id: another user of the app may have sent a fixed one before', () => {
  const accepted = ingestionCases.filter(({ violations }) => violations.length === 0)
  expect(accepted.filter(({ patch }) => patch.some(setsId)).map(({ name }) => name)).toEqual([])
})

test('cases/ingestion.json has every submission whose verdict is the same on any day and for any user', async () => {
  const cases = file.cases.flatMap(({ group, what, patch, violations, ...more }) => {
    if ('policy' in more) return []
    if (violations.length === 0 && patch.some(setsId)) return []
    const submission = applyPatch(file.base, patch as readonly Change[])
    if (new Set(years.map((later) => linesAfter(submission, later))).size > 1) return []
    const hash = createHash('sha256').update(JSON.stringify([group, what, patch]))
    const verdict = violations.length === 0 ? 'MUST be accepted' : 'MUST be refused'
    return [{ id: `IN-${hash.digest('hex').slice(0, 8)}`, name: `${group}: ${what} ${verdict}`, patch, violations }]
  })
  const distinct = [...new Map(cases.map((one) => [one.id, one])).values()]
  expect(distinct.length).toBeGreaterThan(1_000)
  const description =
    'Submissions that postKycVerification must refuse or accept, on any day. Apply `patch` (RFC 6902) to `base`, under a fresh externalVerificationId. No violations: it is accepted. The order of violations does not matter.'
  const text = JSON.stringify({ description, base: file.base, cases: distinct })
  await expect(await format(text, { parser: 'json', printWidth: 120 })).toMatchFileSnapshot('../cases/ingestion.json')
})
