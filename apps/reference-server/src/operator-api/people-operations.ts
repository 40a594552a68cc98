import { isToken } from '@kyc-relay/kyc-core'
import * as z from 'zod'
import { givenInstant } from '../http/instant-field.js'
import { defineOperation } from '../webhooks-api/operation.js'
import { id, kycStatus } from './field-schemas.js'
import { queryInvalid } from './read-operations.js'
import { duplicatesQuery } from './read-schemas.js'
import {
  base,
  notFound,
  bodyInvalid,
  conflict,
  reason,
  actor,
  withReason,
  withPurpose,
  done,
  anyObject,
} from './operation-parts.js'

const reveal = defineOperation({
  id: 'revealValue',
  method: 'post',
  path: `${base}/vault/reveal`,
  actorRequired: true,
  right: 'reveal',
  tag: 'People',
  summary: 'Open one value of the vault',
  description: 'The audit log is written first. A service must name `actor`.',
  body: z.strictObject({
    appId: id,
    userId: id,
    token: z.string().refine(isToken),
    purpose: reason,
    actor: actor.meta({
      description: 'The person for whom a service acts: required of a service. An operator does not send it.',
    }),
  }),
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
  id: 'readEvidence',
  method: 'post',
  path: `${base}/verifications/{verificationId}/evidence`,
  right: 'evidence',
  tag: 'People',
  summary: 'Open the sealed record of a verification',
  description: 'SSN masked, never the document number. The audit log is written first.',
  body: withPurpose,
  answers: { 200: { description: 'The record.', schema: anyObject } },
  refusals: [
    bodyInvalid,
    { ...notFound, detail: 'VERIFICATION_UNKNOWN' },
    { status: 410, code: 'USER_ERASED', when: 'The user was erased; `kept` says what stays.' },
  ],
})

const readPhoto = defineOperation({
  id: 'readPhoto',
  method: 'post',
  path: `${base}/verifications/{verificationId}/photos/{side}`,
  right: 'evidence',
  tag: 'People',
  summary: 'Open a photo',
  description: 'The image itself, with `Repr-Digest`.',
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
  id: 'replacePhotoUrl',
  method: 'put',
  path: `${base}/verifications/{verificationId}/photos/{side}`,
  right: 'correct',
  tag: 'People',
  summary: 'Give a photo a new URL',
  description: 'For one that is `UNAVAILABLE` or `REFUSED`.',
  body: z.strictObject({
    url: z.string().max(4096).meta({ description: 'As long as in a submission.' }),
    reason,
    actor,
  }),
  answers: done('It is fetched again.'),
  refusals: [
    bodyInvalid,
    { ...notFound, detail: 'PHOTO_UNKNOWN' },
    conflict('PHOTO_NOT_REPLACEABLE', 'The photo needs no new URL.'),
  ],
})

const correctStatus = defineOperation({
  id: 'correctKycStatus',
  method: 'post',
  path: `${base}/users/{userId}/kyc-status`,
  right: 'correct',
  tag: 'People',
  summary: 'Correct the KYC status of a user',
  body: z.strictObject({ expectedStatus: kycStatus, status: kycStatus, reason, actor }),
  answers: { 200: { description: 'Corrected.', schema: anyObject } },
  refusals: [
    bodyInvalid,
    { ...notFound, detail: 'USER_UNKNOWN' },
    { status: 409, code: 'STATUS_CHANGED', when: 'The status is not the expected one.' },
  ],
})

/** These also accept users that the service does not know. */
const noUserId = { ...notFound, when: 'The id is not a UUID.' } as const

const exportUser = defineOperation({
  id: 'exportUser',
  method: 'post',
  path: `${base}/users/{userId}/export`,
  right: 'evidence',
  tag: 'People',
  summary: 'Export what is held about a user',
  description: 'Streamed; the last member is `"complete": true`.',
  body: withPurpose,
  answers: { 200: { description: 'The export.', schema: anyObject } },
  refusals: [bodyInvalid, noUserId],
})

const eraseUser = defineOperation({
  id: 'eraseUser',
  method: 'delete',
  path: `${base}/users/{userId}/pii`,
  right: 'erase',
  tag: 'People',
  summary: 'Erase a user',
  description: 'In every app. Repeat it to finish an erasure that failed half-way.',
  body: withPurpose,
  bodyOptional: true,
  answers: { 200: { description: 'What was erased, and what is kept.', schema: anyObject } },
  refusals: [bodyInvalid, noUserId, { status: 409, code: 'LEGAL_HOLD', when: 'The user has a legal hold.' }],
})

const erasureBegun = { status: 409, code: 'ERASURE_IN_PROGRESS', when: 'An erasure has begun.' } as const

const holdUser = defineOperation({
  id: 'holdUser',
  method: 'put',
  path: `${base}/users/{userId}/hold`,
  right: 'erase',
  tag: 'People',
  summary: 'Put a legal hold on a user',
  description: 'Erasure and retention of this user stop.',
  body: withReason,
  answers: done('Held.'),
  refusals: [bodyInvalid, noUserId, erasureBegun],
})

const releaseUser = defineOperation({
  id: 'releaseUser',
  method: 'delete',
  path: `${base}/users/{userId}/hold`,
  right: 'erase',
  tag: 'People',
  summary: 'End a legal hold',
  body: withReason,
  answers: done('Released.'),
  refusals: [bodyInvalid, notFound],
})

const closeUser = defineOperation({
  id: 'closeUser',
  method: 'post',
  path: `${base}/users/{userId}/closed`,
  right: 'erase',
  tag: 'People',
  summary: 'Say when the account of a user was closed',
  description: 'Starts the retention clock; null stops it.',
  body: z.strictObject({
    closedAt: givenInstant
      .nullable()
      .meta({ description: 'A date and time of RFC 3339 or ISO 8601; null for an account that is open again.' }),
    actor,
  }),
  answers: done('Noted.'),
  refusals: [bodyInvalid, noUserId, erasureBegun],
})

const retentionReport = defineOperation({
  id: 'readRetentionReport',
  method: 'get',
  path: `${base}/retention-report`,
  right: 'erase',
  tag: 'People',
  summary: 'List users whose retention time is over',
  answers: { 200: { description: 'The report.', schema: anyObject } },
  refusals: [conflict('RETENTION_OFF', 'No retention time is set.')],
})

const confirmReport = defineOperation({
  id: 'confirmRetentionReport',
  method: 'post',
  path: `${base}/retention-report/{reportId}/erase`,
  right: 'erase',
  tag: 'People',
  summary: 'Erase the users of a retention report',
  body: withPurpose,
  answers: { 200: { description: 'What was erased.', schema: anyObject } },
  refusals: [
    bodyInvalid,
    conflict('RETENTION_OFF', 'No retention time is set.'),
    conflict('REPORT_OUTDATED', 'The report has changed. Read it again.'),
  ],
})

const duplicates = defineOperation({
  id: 'listDuplicates',
  method: 'get',
  path: `${base}/duplicates`,
  right: 'evidence',
  tag: 'People',
  summary: 'List users of an app that share an SSN or a document',
  query: duplicatesQuery,
  answers: { 200: { description: 'A page of duplicates.', schema: anyObject } },
  refusals: queryInvalid,
})

/** Operations on evidence, corrections and rights of users. */
export const peopleOperations = {
  readEvidence,
  readPhoto,
  replacePhotoUrl,
  correctStatus,
  reveal,
  duplicates,
  exportUser,
  eraseUser,
  holdUser,
  releaseUser,
  closeUser,
  retentionReport,
  confirmReport,
}
