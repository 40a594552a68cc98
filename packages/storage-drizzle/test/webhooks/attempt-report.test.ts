import { reportOfCause } from '@kyc-relay/webhooks/delivery'
import { expect, it } from 'vitest'
import { readReport } from '../../src/webhooks/attempt-report.js'

it('a report that was stored before a fact was collected has the value of an attempt that saw nothing', () => {
  const nothing = reportOfCause('INTERNAL_ERROR')
  const body = new Uint8Array([1])
  expect(readReport('{"cause":null,"status":200}', body)).toEqual({
    ...nothing,
    cause: null,
    status: 200,
    responseBody: body,
  })
  expect(readReport('{"cause":"TIMEOUT","address":null}', null)).toEqual({ ...nothing, cause: 'TIMEOUT' })
  expect(readReport(null, null)).toBeNull()
})
