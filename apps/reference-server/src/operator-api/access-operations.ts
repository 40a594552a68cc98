import * as z from 'zod'
import { isStorable } from '../http/stored-text.js'
import { defineOperation } from '../webhooks-api/operation.js'
import { appName, id, scopes } from './field-schemas.js'
import * as reads from './read-schemas.js'
import {
  base,
  uuid,
  instant,
  notFound,
  appUnknown,
  bodyInvalid,
  conflict,
  withReason,
  done,
} from './operation-parts.js'

const createApp = defineOperation({
  id: 'createApp',
  method: 'post',
  path: `${base}/apps`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'Create an app',
  description: 'The answer shows the API key once.',
  body: z.strictObject({ appId: id.nullish(), name: appName }),
  answers: {
    201: {
      description: 'Created.',
      schema: z.object({ appId: uuid, name: z.string(), apiKey: z.string() }).meta({ id: 'CreatedApp' }),
    },
  },
  refusals: [bodyInvalid, conflict('APP_EXISTS', 'There is an app with this id.')],
})

const putGrant = defineOperation({
  id: 'putGrant',
  method: 'put',
  path: `${base}/grants/{appId}/{userId}`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'Give or change a grant',
  description: 'Limits access tokens that were issued before, too.',
  body: z.strictObject({ accountId: id, externalReferenceId: z.string().min(1).max(255).refine(isStorable), scopes }),
  answers: { 200: { description: 'Stored.', schema: reads.grant } },
  refusals: [bodyInvalid, appUnknown],
})

const revokeGrant = defineOperation({
  id: 'revokeGrant',
  method: 'delete',
  path: `${base}/grants/{appId}/{userId}`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'Revoke a grant',
  description: 'Removes its access tokens and cancels what waits.',
  answers: done('Revoked.'),
  refusals: [notFound],
})

const issueAccessToken = defineOperation({
  id: 'issueAccessToken',
  method: 'post',
  path: `${base}/access-tokens`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'Issue an access token',
  description:
    'Of the embedded token store, for 24 hours. Adds the scopes to the grant. Without `userId` for a new user.',
  body: z.strictObject({ appId: id, userId: id.nullish(), scopes }),
  answers: {
    201: {
      description: 'Issued. The token is shown once.',
      schema: z
        .object({
          accessToken: z.string(),
          userId: uuid,
          accountId: uuid,
          externalReferenceId: z.string(),
          expiresAt: instant,
        })
        .meta({ id: 'AccessToken' }),
    },
  },
  refusals: [bodyInvalid, appUnknown],
})

const issueApiKey = defineOperation({
  id: 'issueApiKey',
  method: 'post',
  path: `${base}/apps/{appId}/keys`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'Issue a new API key',
  description: 'For an app that lost its key. The answer shows it once.',
  body: withReason,
  answers: {
    201: {
      description: 'Issued.',
      schema: z
        .object({ appId: uuid, apiKey: z.string(), version: z.int(), signsFrom: instant })
        .meta({ id: 'IssuedApiKey' }),
    },
  },
  refusals: [bodyInvalid, appUnknown],
})

const revokeApiKey = defineOperation({
  id: 'revokeApiKeyAsOperator',
  method: 'delete',
  path: `${base}/apps/{appId}/keys/{version}`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'Revoke an API key',
  body: withReason,
  answers: done('Revoked.'),
  refusals: [bodyInvalid, notFound],
})

const pauseEndpoint = defineOperation({
  id: 'pauseEndpointAsOperator',
  method: 'post',
  path: `${base}/apps/{appId}/endpoints/{endpointId}/pause`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'Pause an endpoint',
  description: 'The partner cannot lift this pause.',
  answers: done('Paused.'),
  refusals: [notFound],
})

const resumeEndpoint = defineOperation({
  id: 'resumeEndpointAsOperator',
  method: 'post',
  path: `${base}/apps/{appId}/endpoints/{endpointId}/resume`,
  right: 'keys',
  tag: 'Apps and access',
  summary: 'End the pause of an endpoint',
  answers: done('Resumed.'),
  refusals: [notFound],
})

/** Operations on apps, keys, grants, access tokens and endpoints. */
export const accessOperations = {
  createApp,
  putGrant,
  revokeGrant,
  issueAccessToken,
  issueApiKey,
  revokeApiKey,
  pauseEndpoint,
  resumeEndpoint,
}
