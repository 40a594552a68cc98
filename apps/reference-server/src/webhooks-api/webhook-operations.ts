import { endpointsPerApp } from '@kyc-relay/webhooks/internal'
import { listVerifications } from './verification-operations.js'
import { base, bodyInvalid, endpointRefused, notFound } from './refusals.js'
import { defineOperation, type OperationShape } from './operation.js'
import { activateKey, discardKey, dryRunKeyRotation, listKeys, revokeKey, rotateKey } from './key-operations.js'
import { getRecovery, readFeed, recoverEndpoint, stopRecovery } from './recovery-operations.js'
import * as schemas from './webhook-schemas.js'

const listEndpoints = defineOperation({
  id: 'listEndpoints',
  method: 'get',
  path: base,
  tag: 'Endpoints',
  summary: 'List endpoints',
  description: `Oldest first. An app has at most ${endpointsPerApp}, so there is one page.`,
  answers: { 200: { description: 'All endpoints of the app.', schema: schemas.endpointPage } },
  refusals: [],
})

const registerEndpoint = defineOperation({
  id: 'registerEndpoint',
  method: 'post',
  path: base,
  tag: 'Endpoints',
  summary: 'Register an endpoint',
  description:
    'The URL must be public HTTPS. Two endpoints of an app with one URL get each event once, at the older one that takes ' +
    'its type. A URL that was removed and is registered again gets the same `X-Event-ID`s.',
  body: schemas.registration,
  answers: {
    201: {
      description: 'Registered.',
      schema: schemas.registeredEndpoint,
      headers: { Location: 'Address of the endpoint.' },
    },
  },
  refusals: [
    bodyInvalid,
    ...endpointRefused,
    {
      status: 409,
      code: 'LIMIT_EXCEEDED',
      detail: 'ENDPOINT_LIMIT',
      when: `The app already has ${endpointsPerApp} endpoints.`,
    },
  ],
})

const getEndpoint = defineOperation({
  id: 'getEndpoint',
  method: 'get',
  path: `${base}/{endpointId}`,
  tag: 'Endpoints',
  summary: 'Read an endpoint',
  description: 'With its state, and since when it fails.',
  answers: { 200: { description: 'The endpoint.', schema: schemas.endpoint } },
  refusals: [notFound],
})

const replaceEndpoint = defineOperation({
  id: 'replaceEndpoint',
  method: 'post',
  path: `${base}/{endpointId}/replace`,
  tag: 'Endpoints',
  summary: 'Change an endpoint',
  description:
    'Removes the endpoint and creates another one in one write. What waits goes to the new one, with its attempts and ' +
    'due times. An attempt in flight ends at the old URL and counts. `X-Event-ID`s stay the same. Deliveries of types ' +
    'that are no longer chosen are cancelled (`TYPE_NOT_SUBSCRIBED`).',
  body: schemas.replacement,
  answers: {
    201: {
      description: 'Replaced.',
      schema: schemas.replacedEndpoint,
      headers: { Location: 'Address of the new endpoint.' },
    },
  },
  refusals: [
    bodyInvalid,
    ...endpointRefused,
    notFound,
    { status: 409, code: 'ENDPOINT_URL_IN_USE', when: 'Another endpoint of the app has the URL, or had it.' },
  ],
})

const pauseEndpoint = defineOperation({
  id: 'pauseEndpoint',
  method: 'post',
  path: `${base}/{endpointId}/pause`,
  tag: 'Endpoints',
  summary: 'Pause an endpoint',
  description:
    'An attempt that is running goes on. After it nothing is sent and no attempt is used up, but for test events. Events ' +
    'that wait longer than bodies are kept are cancelled (`EXPIRED`).',
  answers: { 200: { description: 'Paused.', schema: schemas.endpoint } },
  refusals: [notFound],
})

const resumeEndpoint = defineOperation({
  id: 'resumeEndpoint',
  method: 'post',
  path: `${base}/{endpointId}/resume`,
  tag: 'Endpoints',
  summary: 'Resume an endpoint',
  description: 'What waited is due at its due time, or now.',
  answers: { 200: { description: 'Resumed.', schema: schemas.endpoint } },
  refusals: [notFound, { status: 409, code: 'PAUSED_BY_OPERATOR', when: 'The operator paused it.' }],
})

const removeEndpoint = defineOperation({
  id: 'removeEndpoint',
  method: 'delete',
  path: `${base}/{endpointId}`,
  tag: 'Endpoints',
  summary: 'Remove an endpoint',
  description:
    'What waits goes to another endpoint with the same URL, if there is one, else it is cancelled. An attempt in flight ' +
    'is not aborted.',
  answers: { 204: { description: 'Removed.', schema: null } },
  refusals: [notFound],
})

const sendTestEvent = defineOperation({
  id: 'sendTestEvent',
  method: 'post',
  path: `${base}/{endpointId}/test`,
  tag: 'Endpoints',
  summary: 'Send a test event, or show it',
  description:
    'Delivered like any other event, with the nil UUID as user and account id and `X-Test-Event: true`. ' +
    'With `dryRun` nothing is sent, and the response holds the exact request.',
  body: schemas.testRequest,
  bodyOptional: true,
  answers: {
    200: { description: 'The request as it would be sent (`dryRun`).', schema: schemas.testPreview },
    202: { description: 'On its way.', schema: schemas.published },
  },
  refusals: [bodyInvalid, notFound],
})

const listDeliveries = defineOperation({
  id: 'listDeliveries',
  method: 'get',
  path: `${base}/deliveries`,
  tag: 'Deliveries',
  summary: 'List deliveries',
  description: 'Newest first. Filters may be combined.',
  query: schemas.deliveriesQuery,
  answers: { 200: { description: 'One page.', schema: schemas.deliveryPage } },
  refusals: [
    {
      status: 400,
      code: 'BAD_REQUEST',
      detail: 'QUERY_INVALID',
      when: 'A filter, the limit or the cursor is invalid; see `violations`.',
    },
  ],
})

const getDelivery = defineOperation({
  id: 'getDelivery',
  method: 'get',
  path: `${base}/deliveries/{deliveryId}`,
  tag: 'Deliveries',
  summary: 'Read a delivery with its attempts',
  description: 'With the exact body, and what was answered to each attempt.',
  answers: { 200: { description: 'The delivery.', schema: schemas.deliveryDetail } },
  refusals: [notFound],
})

const resendDelivery = defineOperation({
  id: 'resendDelivery',
  method: 'post',
  path: `${base}/deliveries/{deliveryId}/resend`,
  tag: 'Deliveries',
  summary: 'Send a finished delivery again',
  description:
    'Creates a delivery of the same bytes with the same `X-Event-ID`. It is due at once and has five attempts.',
  answers: { 202: { description: 'On its way.', schema: schemas.resent } },
  refusals: [
    notFound,
    { status: 409, code: 'BAD_REQUEST', detail: 'DELIVERY_PENDING', when: 'It is still being delivered.' },
    { status: 409, code: 'BAD_REQUEST', detail: 'ENDPOINT_REMOVED', when: 'Its endpoint was removed.' },
    {
      status: 409,
      code: 'BAD_REQUEST',
      detail: 'BODY_BLANKED',
      when: 'Its user was erased, or its body is too old.',
    },
  ],
})

/** All operations under `/api/v1/webhooks`. Fixed paths come before those with parameters. */
export const webhookOperations = {
  listEndpoints,
  registerEndpoint,
  listDeliveries,
  getDelivery,
  resendDelivery,
  readFeed,
  listKeys,
  rotateKey,
  dryRunKeyRotation,
  activateKey,
  discardKey,
  revokeKey,
  getEndpoint,
  replaceEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  recoverEndpoint,
  getRecovery,
  stopRecovery,
  removeEndpoint,
  sendTestEvent,
  listVerifications,
} as const satisfies Readonly<Record<string, OperationShape>>
