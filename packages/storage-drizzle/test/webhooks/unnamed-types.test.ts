import { expect, test } from 'vitest'
import { eventTypes } from '@kyc-relay/webhooks'
import { unnamedTypes } from '../../src/webhooks/values.js'

// Storage takes only types from the webhooks package, so it has a list of its own.
test('an endpoint that names no type gets every event type of the service but the optional ones', () => {
  expect(unnamedTypes).toEqual(eventTypes)
})
