import type { AppUser, VerificationStore } from '@kyc-relay/kyc-core'
import { openStored, openFields } from '@kyc-relay/webhooks/internal'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { UserErasure, UserRecords, UserRetention } from '@kyc-relay/storage-drizzle/sqlite'
import { type BodySealer, type WebhookStore } from '@kyc-relay/webhooks/delivery'
import { keptEvidence, openEvidence, type EvidenceDeps, type Revealer } from '../evidence/read-evidence.js'

const rowsOfPage = 50

/** Dependencies of an export. */
export interface ExportUserDeps {
  readonly users: Pick<UserErasure, 'listAppsOfUser'>
  readonly userRecords: Omit<UserRecords, 'recordExport'>
  readonly userRetention: Pick<UserRetention, 'find'>
  readonly apps: Pick<AppDirectory, 'listGrantsOfUser'>
  readonly verifications: Pick<VerificationStore, 'findKycStatus' | 'listVerifications'>
  readonly corrections: Pick<KycStatusCorrections, 'listCorrections'>
  readonly photoJobs: Pick<PhotoJobStore, 'listPhotos'>
  readonly vault: EvidenceDeps['vault']
  readonly webhooks: Pick<WebhookStore, 'listDeliveries' | 'findDelivery'>
  readonly bodySealer: BodySealer
  readonly now: () => Date
}

/** What an export leaves out. */
const omitted = [
  'Document numbers: only a keyed hash of each is stored.',
  'The first five digits of an SSN. SSNs of submissions that failed before they were recorded, which the vault destroys.',
  'Photos: each is listed with its address in the internal API. URLs that photos were fetched from.',
  'Hashes of access tokens, digests of payloads, and entries of the audit log.',
]

/**
 * Writes everything that is held about a user as one JSON object, in pieces. The last member is `complete`. If a read
 * fails, the object ends without it, and `onFailure` gets the error.
 */
export async function* exportUser(
  { userId, exportId }: { readonly userId: string; readonly exportId: string },
  revealer: Revealer,
  deps: ExportUserDeps,
  onFailure: (error: unknown) => void,
): AsyncGenerator<string, boolean> {
  /** What closes the object after the piece before. */
  let closers = '{}'
  try {
    const { appIds, ...head } = await readHead({ userId, exportId }, deps)
    yield `${JSON.stringify(head).slice(0, -1)},"apps":[`
    closers = ']}'
    for (const [index, appId] of appIds.entries()) {
      yield `${index === 0 ? '' : ','}{"appId":${JSON.stringify(appId)}`
      closers = '}]}'
      for (const [name, items] of partsOf({ appId, userId }, revealer, deps)) {
        yield `,"${name}":[`
        closers = ']}]}'
        let separator = ''
        for await (const item of items) {
          yield `${separator}${JSON.stringify(item)}`
          separator = ','
        }
        yield ']'
        closers = '}]}'
      }
      yield '}'
      closers = ']}'
    }
  } catch (error) {
    onFailure(error)
    yield closers
    return false
  }
  yield `],"omitted":${JSON.stringify(omitted)},"complete": true}`
  return true
}

async function readHead(
  { userId, exportId }: { readonly userId: string; readonly exportId: string },
  deps: ExportUserDeps,
) {
  const access = await deps.userRecords.readAccess(userId)
  const appIds = new Set(await deps.users.listAppsOfUser(userId))
  for (const { appId } of access.revokedGrants) appIds.add(appId)
  const grants = await deps.apps.listGrantsOfUser(userId)
  // Without reason and actor, which are the operators'.
  const corrections = await deps.corrections.listCorrections(userId)
  return {
    exportId,
    userId,
    exportedAt: deps.now(),
    kycStatus: await deps.verifications.findKycStatus(userId),
    closedAt: (await deps.userRetention.find(userId)).closedAt,
    kycStatusCorrections: corrections.map(({ at, previous, next }) => ({ at, previous, next })),
    grants: grants.map(({ userId: _, ...grant }) => grant),
    ...access,
    appIds: [...appIds].sort(),
  }
}

function partsOf(owner: AppUser, revealer: Revealer, deps: ExportUserDeps) {
  return [
    ['verifications', verificationsOf(owner, revealer, deps)],
    ['events', eventsOf(owner, deps)],
    ['transactions', transactionsOf(owner, deps)],
  ] as const
}

async function* verificationsOf(owner: AppUser, revealer: Revealer, deps: ExportUserDeps) {
  for await (const record of rowsOf((page) => deps.verifications.listVerifications(owner, page))) {
    const photos = await deps.photoJobs.listPhotos(owner, record.verificationId)
    // Corrections are those of the user, in the head.
    const kept = keptEvidence(record, photos, [])
    const answer = await openEvidence({ owner, record, kept }, revealer, deps)
    const {
      appId: _,
      userId: __,
      photos: ___,
      corrections: ____,
      ...evidence
    } = answer.kind === 'erased' ? answer.kept : answer.evidence
    yield {
      ...evidence,
      erased: answer.kind === 'erased',
      photos: photos.map(({ photoJobId: _, ...photo }) => ({
        ...photo,
        address: `/internal/v1/verifications/${record.verificationId}/photos/${photo.side}`,
      })),
    }
  }
}

async function* eventsOf(owner: AppUser, { userRecords, webhooks, bodySealer }: ExportUserDeps) {
  let after: number | undefined
  do {
    const page = await userRecords.listEvents({
      ...owner,
      limit: rowsOfPage,
      ...(after === undefined ? {} : { after }),
    })
    const stored = page.items.map(({ eventId, body }) => {
      return { ...owner, part: 'event', recordId: eventId, stored: body } as const
    })
    const bodies = await openStored(stored, bodySealer)
    for (const [index, { body: _, ...event }] of page.items.entries()) {
      const deliveries = []
      const ofEvent = { appId: owner.appId, eventId: event.eventId }
      for await (const { deliveryId } of rowsOf((page) => webhooks.listDeliveries({ ...ofEvent, ...page })))
        deliveries.push(await readDelivery({ appId: owner.appId, deliveryId }, webhooks))
      yield { ...event, body: jsonOf(bodies[index] ?? null), deliveries }
    }
    after = page.next ?? undefined
  } while (after !== undefined)
}

async function readDelivery(
  key: { readonly appId: string; readonly deliveryId: string },
  webhooks: ExportUserDeps['webhooks'],
) {
  const found = await webhooks.findDelivery(key)
  if (found === null) return key
  const {
    body: _,
    appId: __,
    userId: ___,
    eventId: ____,
    eventType: _____,
    test: ______,
    attempts,
    ...delivery
  } = found
  return {
    ...delivery,
    attempts: attempts.map(({ report, ...attempt }) => ({
      ...attempt,
      report: report && { ...report, responseBody: textOf(report.responseBody) },
    })),
  }
}

async function* transactionsOf(owner: AppUser, { userRecords, bodySealer }: ExportUserDeps) {
  let after: string | undefined
  do {
    const page = await userRecords.listTransactions({
      ...owner,
      limit: rowsOfPage,
      ...(after === undefined ? {} : { after }),
    })
    for (const { fields, ...transaction } of page.items) {
      const place = { ...owner, recordId: transaction.transactionId }
      yield { ...transaction, fields: await openFields(place, fields, bodySealer) }
    }
    after = page.next ?? undefined
  } while (after !== undefined)
}

/** Reads all rows of a list with cursors. */
async function* rowsOf<Row>(
  read: (page: {
    readonly limit: number
    readonly cursor?: string
  }) => Promise<{ readonly items: readonly Row[]; readonly nextCursor: string | null }>,
): AsyncGenerator<Row> {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof read>> = await read({
      limit: rowsOfPage,
      ...(cursor === null ? {} : { cursor }),
    })
    yield* page.items
    cursor = page.nextCursor
  } while (cursor !== null)
}

const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))

/** A body is JSON; a test event too. */
const jsonOf = (bytes: Uint8Array | null) =>
  bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as unknown)
