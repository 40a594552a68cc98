import { defineOperation, type OperationShape } from '../webhooks-api/operation.js'
import * as schemas from './read-schemas.js'

const base = '/internal/v1'
const notFound = { status: 404, code: 'NOT_FOUND', when: 'There is no object with this id.' } as const
/** Refusals of every list. */
export const queryInvalid = [
  { status: 400, code: 'BAD_REQUEST', detail: 'QUERY_INVALID', when: 'A parameter is invalid; see `violations`.' },
  { status: 400, code: 'CURSOR_INVALID', when: 'The cursor does not belong to this list.' },
] as const
const reads = { method: 'get', tag: 'Reads' } as const

const listApps = defineOperation({
  ...reads,
  id: 'listApps',
  path: `${base}/apps`,
  summary: 'List apps',
  description: 'By id.',
  query: schemas.appsQuery,
  answers: { 200: { description: 'A page of apps.', schema: schemas.appPage } },
  refusals: queryInvalid,
})

const listUsers = defineOperation({
  ...reads,
  id: 'listUsersOfApp',
  path: `${base}/apps/{appId}/users`,
  summary: 'List users of an app',
  description: 'Users with a grant, by id. `externalReferenceId` finds a user by the name that the app gave.',
  query: schemas.usersQuery,
  answers: { 200: { description: 'A page of grants.', schema: schemas.userPage } },
  refusals: [...queryInvalid, { ...notFound, detail: 'APP_UNKNOWN' }],
})

const getGrant = defineOperation({
  ...reads,
  id: 'getGrant',
  path: `${base}/grants/{appId}/{userId}`,
  summary: 'Read a grant',
  description: 'Its identifiers and scopes.',
  answers: { 200: { description: 'The grant.', schema: schemas.grant } },
  refusals: [{ ...notFound, when: 'There is no grant, or it was revoked.' }],
})

const getTransaction = defineOperation({
  ...reads,
  id: 'getTransaction',
  path: `${base}/transactions/{transactionId}`,
  summary: 'Read a transaction',
  description: 'Its status and moves, without its fields.',
  answers: { 200: { description: 'The transaction.', schema: schemas.transaction } },
  refusals: [notFound],
})

const listDeliveries = defineOperation({
  ...reads,
  id: 'listDeliveriesOfAllApps',
  path: `${base}/deliveries`,
  summary: 'List deliveries of all apps',
  description: 'Newest first, without bodies.',
  query: schemas.deliveriesQuery,
  answers: { 200: { description: 'A page of deliveries.', schema: schemas.deliveryPage } },
  refusals: queryInvalid,
})

const listWithheld = defineOperation({
  ...reads,
  id: 'listWithheldEvents',
  path: `${base}/withheld-events`,
  summary: 'List withheld events of all apps',
  description: 'Events that went to nobody, with the reason. Newest first. Without `appId`: of apps that exist.',
  query: schemas.withheldQuery,
  answers: { 200: { description: 'A page of events.', schema: schemas.withheldPage } },
  refusals: queryInvalid,
})

const listQueue = defineOperation({
  ...reads,
  id: 'listQueue',
  path: `${base}/queue`,
  summary: 'Read the queue by app and endpoint',
  description: 'Endpoints with deliveries that wait or are in flight, by app and endpoint id.',
  query: schemas.queueQuery,
  answers: { 200: { description: 'A page of endpoints.', schema: schemas.queuePage } },
  refusals: queryInvalid,
})

const listAuditEntries = defineOperation({
  ...reads,
  id: 'listAuditEntries',
  path: `${base}/audit-entries`,
  summary: 'List entries of an audit log',
  description:
    'Newest first. With a filter a page may be short, or empty: 2,000 entries are examined at most. Go on until ' +
    '`nextCursor` is null. This list does not verify the log; the command `audit` does.',
  query: schemas.auditQuery,
  answers: { 200: { description: 'A page of entries.', schema: schemas.auditPage } },
  refusals: queryInvalid,
})

/** Every read of an operator, by name. Each needs the right `read`. */
export const readOperations = {
  listApps,
  listUsers,
  getGrant,
  getTransaction,
  listDeliveries,
  listWithheld,
  listQueue,
  listAuditEntries,
} satisfies Record<string, OperationShape>
