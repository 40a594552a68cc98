import { z } from 'zod'
import { defineOperation, type OperationShape, type RefusalNote } from '../webhooks-api/operation.js'
import { eventType } from '../webhooks-api/webhook-schemas.js'
import { eventData, id, scopes } from './field-schemas.js'
import { readOperations } from './read-operations.js'
import * as reads from './read-schemas.js'

const base = '/internal/v1'
const uuid = z.guid()
const instant = z.iso.datetime()

const notFound: RefusalNote = { status: 404, code: 'NOT_FOUND', when: 'There is no object with this id.' }
const appUnknown: RefusalNote = { ...notFound, detail: 'APP_UNKNOWN', when: 'There is no app with this id.' }
const bodyInvalid: RefusalNote = {
  ...{ status: 400, code: 'BAD_REQUEST', detail: 'BODY_INVALID', when: 'The body is invalid; see `violations`.' },
}
const conflict = (detail: string, when: string): RefusalNote => ({ status: 409, code: 'BAD_REQUEST', detail, when })

const auditText = z.string().max(200)
const reason = auditText.meta({ description: 'Goes into the audit log.' })
const actor = auditText.nullish().meta({
  description: 'The person for whom a service acts. An operator is known by the token and does not send it.',
})
const withReason = z.strictObject({ reason, actor })
const withPurpose = z.strictObject({ purpose: reason, actor })
const sourceEventId = z
  .string()
  .max(255)
  .nullish()
  .meta({ description: 'Id of the event at its source: a repeated one is published once.' })

const done = (description: string) => ({ 204: { description, schema: null } })
const anyObject = z.record(z.string(), z.unknown())

const published = z
  .object({
    eventId: uuid,
    deliveries: z.array(z.object({ deliveryId: uuid, endpointId: uuid })),
    withheld: z.string().optional().meta({ description: 'Reason of an event that goes to nobody.' }),
    duplicate: z.boolean().optional(),
  })
  .meta({ id: 'PublishedEvent' })

const moved = published
  .extend({ transactionId: uuid, status: z.enum(['PENDING', 'SETTLED', 'DECLINED']) })
  .meta({ id: 'MovedTransaction' })

const newTransaction = z.strictObject({
  appId: id,
  userId: id,
  transactionId: id.nullish(),
  data: eventData,
  sourceEventId,
})

const eventRefused: readonly RefusalNote[] = [
  bodyInvalid,
  { status: 400, code: 'BAD_REQUEST', detail: 'EVENT_INVALID', when: 'The payload is invalid; see `violations`.' },
  { status: 409, code: 'SOURCE_EVENT_ID_CONFLICT', when: 'The `sourceEventId` belongs to another event.' },
]
const moveRefused: readonly RefusalNote[] = [
  ...eventRefused,
  conflict('TRANSACTION_EXISTS', 'There is a transaction with this id.'),
  conflict('TRANSITION_NOT_ALLOWED', 'The transaction cannot go from its status to this one.'),
]

const services = 'Only services with `INTERNAL_TOKEN`.'
const needs = (right: string) => `Right: \`${right}\`.`

const publishEvent = defineOperation({
  ...{ id: 'publishEvent', method: 'post', path: `${base}/events`, tag: 'Events' },
  summary: 'Publish an event',
  description: `The service fills the identifiers of the user. It publishes \`KYC_STATUS_CHANGED\` itself. ${services}`,
  body: z.strictObject({ appId: id, userId: id, eventType, data: eventData, sourceEventId }),
  answers: { 202: { description: 'Published or withheld.', schema: published } },
  refusals: eventRefused,
})

const createTransaction = defineOperation({
  ...{ id: 'createTransaction', method: 'post', path: `${base}/transactions`, tag: 'Events' },
  summary: 'Create a transaction',
  description: `Publishes \`TRANSACTION_CREATE\`. ${services}`,
  body: newTransaction,
  answers: { 201: { description: 'Created.', schema: moved } },
  refusals: moveRefused,
})

const declineTransaction = defineOperation({
  ...{ id: 'declineTransaction', method: 'post', path: `${base}/transactions/decline`, tag: 'Events' },
  summary: 'Decline a transaction',
  description: `Of a known or a new transaction. Publishes \`TRANSACTION_DECLINE\`. ${services}`,
  body: newTransaction,
  answers: { 201: { description: 'Declined.', schema: moved } },
  refusals: moveRefused,
})

const updateTransaction = defineOperation({
  ...{ id: 'updateTransaction', method: 'patch', path: `${base}/transactions/{transactionId}`, tag: 'Events' },
  summary: 'Update or settle a transaction',
  description: `Publishes \`TRANSACTION_UPDATE\`. ${services}`,
  body: z.strictObject({
    appId: id.nullish(),
    userId: id.nullish(),
    status: z.string().nullish().meta({ description: '`PENDING` or `SETTLED`.' }),
    data: eventData.nullish(),
    sourceEventId,
  }),
  answers: { 200: { description: 'Updated.', schema: moved } },
  refusals: [...moveRefused, { ...notFound, detail: 'TRANSACTION_UNKNOWN' }],
})

const createApp = defineOperation({
  ...{ id: 'createApp', method: 'post', path: `${base}/apps`, tag: 'Apps and access' },
  summary: 'Create an app',
  description: `The answer shows the API key once. ${needs('keys')}`,
  body: z.strictObject({ appId: id.nullish(), name: z.string().min(1).max(200) }),
  answers: {
    201: {
      description: 'Created.',
      schema: z.object({ appId: uuid, name: z.string(), apiKey: z.string() }).meta({ id: 'CreatedApp' }),
    },
  },
  refusals: [bodyInvalid, conflict('APP_EXISTS', 'There is an app with this id.')],
})

const putGrant = defineOperation({
  ...{ id: 'putGrant', method: 'put', path: `${base}/grants/{appId}/{userId}`, tag: 'Apps and access' },
  summary: 'Give or change a grant',
  description: `Limits access tokens that were issued before, too. ${needs('keys')}`,
  body: z.strictObject({ accountId: id, externalReferenceId: z.string().min(1).max(255), scopes }),
  answers: { 200: { description: 'Stored.', schema: reads.grant } },
  refusals: [bodyInvalid, appUnknown],
})

const revokeGrant = defineOperation({
  ...{ id: 'revokeGrant', method: 'delete', path: `${base}/grants/{appId}/{userId}`, tag: 'Apps and access' },
  summary: 'Revoke a grant',
  description: `Removes its access tokens and cancels what waits. ${needs('keys')}`,
  answers: done('Revoked.'),
  refusals: [notFound],
})

const issueAccessToken = defineOperation({
  ...{ id: 'issueAccessToken', method: 'post', path: `${base}/access-tokens`, tag: 'Apps and access' },
  summary: 'Issue an access token',
  description: `Of the embedded token store, for 24 hours. Without \`userId\` for a new user. ${needs('keys')}`,
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
  ...{ id: 'issueApiKey', method: 'post', path: `${base}/apps/{appId}/keys`, tag: 'Apps and access' },
  summary: 'Issue a new API key',
  description: `For an app that lost its key. The answer shows it once. ${needs('keys')}`,
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
  ...{
    id: 'revokeApiKeyAsOperator',
    method: 'delete',
    path: `${base}/apps/{appId}/keys/{version}`,
    tag: 'Apps and access',
  },
  summary: 'Revoke an API key',
  description: needs('keys'),
  body: withReason,
  answers: done('Revoked.'),
  refusals: [bodyInvalid, notFound],
})

const pauseEndpoint = defineOperation({
  ...{
    id: 'pauseEndpointAsOperator',
    method: 'post',
    path: `${base}/apps/{appId}/endpoints/{endpointId}/pause`,
    tag: 'Apps and access',
  },
  summary: 'Pause an endpoint',
  description: `The partner cannot lift this pause. ${needs('keys')}`,
  answers: done('Paused.'),
  refusals: [notFound],
})

const resumeEndpoint = defineOperation({
  ...{
    id: 'resumeEndpointAsOperator',
    method: 'post',
    path: `${base}/apps/{appId}/endpoints/{endpointId}/resume`,
    tag: 'Apps and access',
  },
  summary: 'End the pause of an endpoint',
  description: needs('keys'),
  answers: done('Resumed.'),
  refusals: [notFound],
})

const reveal = defineOperation({
  ...{ id: 'revealValue', method: 'post', path: `${base}/vault/reveal`, tag: 'People' },
  summary: 'Open one value of the vault',
  description: `The audit log is written first. ${needs('reveal')}`,
  body: z.strictObject({ appId: id, userId: id, token: z.string(), purpose: reason, actor }),
  answers: {
    200: {
      description: 'The value.',
      schema: z.object({ token: z.string(), value: z.string() }).meta({ id: 'RevealedValue' }),
    },
  },
  refusals: [
    bodyInvalid,
    { ...notFound, detail: 'TOKEN_UNKNOWN' },
    conflict('NOT_REVEALABLE', 'A document number is never shown.'),
  ],
})

const readEvidence = defineOperation({
  ...{ id: 'readEvidence', method: 'post', path: `${base}/verifications/{verificationId}/evidence`, tag: 'People' },
  summary: 'Open the sealed record of a verification',
  description: `SSN masked, never the document number. The audit log is written first. ${needs('evidence')}`,
  body: withPurpose,
  answers: { 200: { description: 'The record.', schema: anyObject } },
  refusals: [
    bodyInvalid,
    { ...notFound, detail: 'VERIFICATION_UNKNOWN' },
    { status: 410, code: 'USER_ERASED', when: 'The user was erased; `kept` says what stays.' },
  ],
})

const readPhoto = defineOperation({
  ...{ id: 'readPhoto', method: 'post', path: `${base}/verifications/{verificationId}/photos/{side}`, tag: 'People' },
  summary: 'Open a photo',
  description: `The image itself, with \`Repr-Digest\`. ${needs('evidence')}`,
  body: withPurpose,
  answers: { 200: { description: 'The image.', schema: z.unknown(), mediaType: 'image/*' } },
  refusals: [
    bodyInvalid,
    { ...notFound, detail: 'PHOTO_UNKNOWN' },
    conflict('PHOTO_NOT_STORED', 'The photo is not stored, or not yet.'),
    { status: 410, code: 'USER_ERASED', when: 'The user was erased.' },
  ],
})

const replacePhotoUrl = defineOperation({
  ...{
    id: 'replacePhotoUrl',
    method: 'put',
    path: `${base}/verifications/{verificationId}/photos/{side}`,
    tag: 'People',
  },
  summary: 'Give a photo a new URL',
  description: `For one that is \`UNAVAILABLE\` or \`REFUSED\`. ${needs('correct')}`,
  body: z.strictObject({ url: z.string(), reason, actor }),
  answers: done('It is fetched again.'),
  refusals: [bodyInvalid, notFound, conflict('PHOTO_NOT_REPLACEABLE', 'The photo needs no new URL.')],
})

const correctStatus = defineOperation({
  ...{ id: 'correctKycStatus', method: 'post', path: `${base}/users/{userId}/kyc-status`, tag: 'People' },
  summary: 'Correct the KYC status of a user',
  description: needs('correct'),
  body: z.strictObject({ expectedStatus: z.string(), status: z.string(), reason, actor }),
  answers: { 200: { description: 'Corrected.', schema: anyObject } },
  refusals: [bodyInvalid, notFound, conflict('STATUS_CHANGED', 'The status is not the expected one.')],
})

const exportUser = defineOperation({
  ...{ id: 'exportUser', method: 'post', path: `${base}/users/{userId}/export`, tag: 'People' },
  summary: 'Export what is held about a user',
  description: `Streamed; the last member is \`"complete": true\`. ${needs('evidence')}`,
  body: withPurpose,
  answers: { 200: { description: 'The export.', schema: anyObject } },
  refusals: [bodyInvalid, notFound],
})

const eraseUser = defineOperation({
  ...{ id: 'eraseUser', method: 'delete', path: `${base}/users/{userId}/pii`, tag: 'People' },
  summary: 'Erase a user',
  description: `In every app. Repeat it to finish an erasure that failed half-way. ${needs('erase')}`,
  body: withPurpose,
  bodyOptional: true,
  answers: { 200: { description: 'What was erased, and what is kept.', schema: anyObject } },
  refusals: [bodyInvalid, { status: 409, code: 'LEGAL_HOLD', when: 'The user has a legal hold.' }],
})

const holdUser = defineOperation({
  ...{ id: 'holdUser', method: 'put', path: `${base}/users/{userId}/hold`, tag: 'People' },
  summary: 'Put a legal hold on a user',
  description: `Erasure and retention of this user stop. ${needs('erase')}`,
  body: withReason,
  answers: done('Held.'),
  refusals: [bodyInvalid, { status: 409, code: 'ERASURE_IN_PROGRESS', when: 'An erasure has begun.' }],
})

const releaseUser = defineOperation({
  ...{ id: 'releaseUser', method: 'delete', path: `${base}/users/{userId}/hold`, tag: 'People' },
  summary: 'End a legal hold',
  description: needs('erase'),
  body: withReason,
  answers: done('Released.'),
  refusals: [bodyInvalid, notFound],
})

const closeUser = defineOperation({
  ...{ id: 'closeUser', method: 'post', path: `${base}/users/{userId}/closed`, tag: 'People' },
  summary: 'Say when the account of a user was closed',
  description: `Starts the retention clock; null stops it. ${needs('erase')}`,
  body: z.strictObject({ closedAt: z.string().nullable(), actor }),
  answers: done('Noted.'),
  refusals: [bodyInvalid],
})

const retentionReport = defineOperation({
  ...{ id: 'readRetentionReport', method: 'get', path: `${base}/retention-report`, tag: 'People' },
  summary: 'List users whose retention time is over',
  description: needs('erase'),
  answers: { 200: { description: 'The report.', schema: anyObject } },
  refusals: [conflict('RETENTION_OFF', 'No retention time is set.')],
})

const confirmReport = defineOperation({
  ...{ id: 'confirmRetentionReport', method: 'post', path: `${base}/retention-report/{reportId}/erase`, tag: 'People' },
  summary: 'Erase the users of a retention report',
  description: needs('erase'),
  body: withPurpose,
  answers: { 200: { description: 'What was erased.', schema: anyObject } },
  refusals: [bodyInvalid, conflict('REPORT_OUTDATED', 'The report has changed. Read it again.')],
})

const duplicates = defineOperation({
  ...{ id: 'listDuplicates', method: 'get', path: `${base}/duplicates`, tag: 'People' },
  summary: 'List users of an app that share an SSN or a document',
  description: needs('evidence'),
  query: z.strictObject({ appId: id, cursor: z.string().optional(), limit: z.string().optional() }),
  answers: { 200: { description: 'A page of duplicates.', schema: anyObject } },
  refusals: [{ status: 400, code: 'BAD_REQUEST', detail: 'QUERY_INVALID', when: 'A parameter is invalid.' }],
})

/** Every operation of the internal API that has a description. The document shows those that this server has. */
export const internalOperations: readonly OperationShape[] = [
  ...Object.values(readOperations),
  ...[publishEvent, createTransaction, updateTransaction, declineTransaction],
  ...[createApp, putGrant, revokeGrant, issueAccessToken, issueApiKey, revokeApiKey, pauseEndpoint, resumeEndpoint],
  ...[readEvidence, readPhoto, replacePhotoUrl, correctStatus, reveal, duplicates],
  ...[exportUser, eraseUser, holdUser, releaseUser, closeUser, retentionReport, confirmReport],
]

const queryPaths = internalOperations
  .filter(({ query }) => query !== undefined)
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))

/** Checks whether the path is of an operation with query parameters, which its route checks. */
export function hasQuery(path: string): boolean {
  return queryPaths.some((one) => one.test(path))
}
