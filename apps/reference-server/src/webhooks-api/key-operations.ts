import * as keys from './key-schemas.js'
import { defineOperation } from './operation.js'
import { base, bodyInvalid, notFound } from './refusals.js'

export const listKeys = defineOperation({
  id: 'listKeys',
  method: 'get',
  path: `${base}/keys`,
  tag: 'API keys',
  summary: 'List versions of the API key',
  description: 'Lists accepted versions, newest first. The keys themselves are never shown again.',
  answers: { 200: { description: 'Accepted versions.', schema: keys.apiKeyList } },
  refusals: [],
})

export const rotateKey = defineOperation({
  id: 'rotateKey',
  method: 'post',
  path: `${base}/keys/rotate`,
  tag: 'API keys',
  summary: 'Create a new API key',
  description:
    'The API accepts it at once. It signs webhooks after its activation, or after 24 hours. ' +
    'Until then a receiver should accept signatures of both keys. If this response is lost, discard the key and create another one.',
  answers: { 201: { description: 'The new key, shown once.', schema: keys.rotatedKey } },
  refusals: [
    {
      status: 409,
      code: 'BAD_REQUEST',
      detail: 'ROTATION_PENDING',
      when: 'Another new key already waits for its activation.',
    },
  ],
})

export const dryRunKeyRotation = defineOperation({
  id: 'dryRunKeyRotation',
  method: 'post',
  path: `${base}/keys/dry-run`,
  tag: 'API keys',
  summary: 'Do a dry run of a key rotation at one endpoint',
  description:
    'Sends one test event signed with the current key and one signed with the waiting key, at once and without retry, ' +
    'and returns both results within 30 s. Neither is in the delivery log.',
  body: keys.keyRotationDryRunRequest,
  answers: { 200: { description: 'The results of both keys.', schema: keys.keyRotationDryRun } },
  refusals: [
    bodyInvalid,
    notFound,
    { status: 409, code: 'BAD_REQUEST', detail: 'NO_ROTATION_PENDING', when: 'No new key waits for its activation.' },
    { status: 409, code: 'BAD_REQUEST', detail: 'DRY_RUN_RUNNING', when: 'Another dry run of this app is running.' },
  ],
})

export const activateKey = defineOperation({
  id: 'activateKey',
  method: 'post',
  path: `${base}/keys/activate`,
  tag: 'API keys',
  summary: 'Activate the new API key',
  description: 'The new key signs webhooks. The old key allows only reading for 24 more hours, and is then retired.',
  answers: { 200: { description: 'The new key signs.', schema: keys.activated } },
  refusals: [
    { status: 409, code: 'BAD_REQUEST', detail: 'NO_ROTATION_PENDING', when: 'No new key waits for its activation.' },
  ],
})

export const discardKey = defineOperation({
  id: 'discardKey',
  method: 'post',
  path: `${base}/keys/discard`,
  tag: 'API keys',
  summary: 'Discard the waiting API key',
  description: 'It is no longer accepted and never signs. Portal sessions that started with it end.',
  answers: { 204: { description: 'Discarded.', schema: null } },
  refusals: [
    { status: 409, code: 'BAD_REQUEST', detail: 'NO_ROTATION_PENDING', when: 'No new key waits for its activation.' },
  ],
})

export const revokeKey = defineOperation({
  id: 'revokeKey',
  method: 'post',
  path: `${base}/keys/{version}/revoke`,
  tag: 'API keys',
  summary: 'Revoke an API key now',
  description:
    'The key is no longer accepted and no longer signs. Portal sessions that started with it end. If it is the key ' +
    'that signs, retiring keys are revoked too, and a waiting key signs from now on. Without a waiting key, deliveries are held ' +
    'back for up to 24 hours, until the operator of the service issues a new key.',
  answers: { 204: { description: 'Revoked.', schema: null } },
  refusals: [notFound],
})
