import { base, bodyInvalid, notFound, queryInvalid } from './refusals.js'
import { defineOperation } from './operation.js'
import * as schemas from './recovery-schemas.js'

export const recoverEndpoint = defineOperation({
  id: 'recoverEndpoint',
  method: 'post',
  path: `${base}/{endpointId}/recover`,
  tag: 'Recovery',
  summary: 'Deliver what was missed',
  description:
    'Delivers every event of a time range that the endpoint, or an earlier one with its URL, has not acknowledged and ' +
    'that is not pending: failed, cancelled, or published while there was no endpoint. Oldest first, with the same ' +
    '`X-Event-ID` and five fresh attempts, after what is published meanwhile. It needs the scope at publishing and now.',
  body: schemas.recoveryRequest,
  answers: {
    200: { description: 'The count (`dryRun`).', schema: schemas.recoveryCount },
    202: {
      description: 'Started.',
      schema: schemas.recoveryStarted,
      headers: { Location: 'Address of the recovery.' },
    },
  },
  refusals: [
    bodyInvalid,
    notFound,
    { status: 409, code: 'RECOVERY_RUNNING', when: 'The endpoint has one that runs.' },
    { status: 409, code: 'BAD_REQUEST', detail: 'RECOVERY_COUNT_RUNNING', when: 'A count of this app is running.' },
  ],
})

export const getRecovery = defineOperation({
  id: 'getRecovery',
  method: 'get',
  path: `${base}/{endpointId}/recoveries/{recoveryId}`,
  tag: 'Recovery',
  summary: 'Read a recovery',
  description:
    'Its progress. It is kept after its end. The id of the recovery alone is checked: a replaced endpoint keeps it.',
  answers: { 200: { description: 'The recovery.', schema: schemas.recovery } },
  refusals: [notFound],
})

export const stopRecovery = defineOperation({
  id: 'stopRecovery',
  method: 'delete',
  path: `${base}/{endpointId}/recoveries/{recoveryId}`,
  tag: 'Recovery',
  summary: 'Stop a recovery',
  description:
    'Deliveries that it made are not cancelled. The id of the recovery alone is checked: a replaced endpoint keeps it.',
  answers: { 204: { description: 'Stopped, or ended before.', schema: null } },
  refusals: [notFound],
})

export const readFeed = defineOperation({
  id: 'readFeed',
  method: 'get',
  path: `${base}/events`,
  tag: 'Recovery',
  summary: 'Read the feed of events',
  description:
    'For those who poll or reconcile. Events come in the order in which they became visible: one that is committed late ' +
    'is never skipped. Erased events, and those whose scope is no longer granted, are left out. Begin without `after`, and ' +
    'go on with `nextCursor`, which every page has. Book each event once by its `xEventId`, as for webhooks.',
  query: schemas.feedQuery,
  answers: { 200: { description: 'One page, oldest first.', schema: schemas.feedPage } },
  refusals: [
    queryInvalid,
    { status: 400, code: 'CURSOR_INVALID', when: '`after` is not a cursor of this feed.' },
    {
      status: 410,
      code: 'CURSOR_EXPIRED',
      when: 'Events after the cursor are no longer kept. `oldest` is the cursor of what is kept.',
    },
    {
      status: 410,
      code: 'CURSOR_UNKNOWN',
      when: 'The cursor is ahead of the service, which was restored from a backup. Begin again without `after`.',
    },
  ],
})
