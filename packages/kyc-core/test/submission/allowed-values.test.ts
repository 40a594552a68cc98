import { expect, test } from 'vitest'
import { parseSubmission } from '../../src/index.js'

const now = new Date('2026-01-05T00:00:00.000Z')

test.each([
  [{}, '/externalVerificationProvider', 'Not an allowed value. Allowed: CUSTOM.'],
  [
    { providers: ['PROVIDER_1', 'PROVIDER_2'] },
    '/externalVerificationProvider',
    'Not an allowed value. Allowed: CUSTOM, PROVIDER_1, PROVIDER_2.',
  ],
  [{}, '/decision', 'Not an allowed value. Allowed: PASSED, FAILED.'],
  [{}, '/verifications/ssn/status', 'Not an allowed value. Allowed: PASSED, FAILED.'],
])('with policy %j, ENUM at %s lists what is allowed, never what was sent', (policy, pointer, message) => {
  const input = {
    externalVerificationProvider: 'canary',
    decision: 'canary',
    verifications: { ssn: { status: 'canary' } },
  }
  const parsed = parseSubmission(input, { now, policy })
  const violations = parsed.ok ? [] : parsed.violations
  expect(violations).toContainEqual({ pointer, code: 'ENUM', message })
  expect(JSON.stringify(violations)).not.toContain('canary')
})
