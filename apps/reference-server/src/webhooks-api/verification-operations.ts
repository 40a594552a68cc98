import { defineOperation } from './operation.js'
import { queryInvalid } from './refusals.js'
import * as schemas from './verification-schemas.js'

export const listVerifications = defineOperation({
  id: 'listVerifications',
  method: 'get',
  path: '/api/v1/verifications',
  tag: 'Verifications',
  summary: 'Reconcile submissions',
  description:
    "The app's own submissions by ascending id, which follows the time of recording. No personal data, and never the " +
    'current status of a user. A submission recorded while you read can come before your cursor: read the last minutes again.',
  query: schemas.verificationQuery,
  answers: { 200: { description: 'One page, oldest first.', schema: schemas.verificationPage } },
  refusals: [queryInvalid, { status: 400, code: 'CURSOR_INVALID', when: '`after` is not a cursor of this list.' }],
})
