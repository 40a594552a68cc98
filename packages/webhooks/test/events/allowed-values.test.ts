import { expect, test } from 'vitest'
import { eventExample, parseEvent } from '../../src/events/index.js'

test('ENUM lists what the schema allows, never what was sent', () => {
  const parsed = parseEvent('WIDGET_KYC_INITIATION', { ...eventExample('WIDGET_KYC_INITIATION'), eventType: 'canary' })
  const violations = parsed.ok ? [] : parsed.violations
  expect(violations).toEqual([
    {
      pointer: '/eventType',
      code: 'ENUM',
      message: 'Not an allowed value. Allowed: WIDGET_KYC_INITIATION.',
    },
  ])
})
