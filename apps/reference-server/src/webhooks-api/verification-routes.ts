import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { Hono } from 'hono'
import * as z from 'zod'
import { decodeListCursor, encodeListCursor } from '../http/list-cursor.js'
import { pageOf } from '../http/page-of.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { VerificationOverview } from '../storage/verification-overview.js'
import { answer, serveOperation } from './operation.js'
import { webhookOperations as operations } from './webhook-operations.js'

/** Dependencies of the reconciliation of submissions. */
export interface VerificationRoutesDeps {
  readonly overview: Pick<VerificationOverview, 'listOfApp'>
  readonly verifications: Pick<VerificationStore, 'findVerification'>
  readonly photoJobs: Pick<PhotoJobStore, 'listPhotos'>
}

/** Serves the list of an app's own submissions, without personal data. */
export function serveVerifications(routes: Hono<EdgeEnv>, deps: VerificationRoutesDeps): void {
  const { overview, verifications, photoJobs } = deps

  async function present({ appId, userId, verificationId }: { appId: string; userId: string; verificationId: string }) {
    const owner = { appId, userId }
    const [record, photos] = await Promise.all([
      verifications.findVerification(owner, verificationId),
      photoJobs.listPhotos(owner, verificationId),
    ])
    if (record === null) return []
    const { externalVerificationId, decision, result, declineCodes, recordedAt } = record
    return [
      {
        verificationId,
        externalVerificationId,
        userId,
        decision,
        status: result.status,
        declineCodes: [...declineCodes],
        photos: photos.map(({ side, state }) => ({ side, state })),
        recordedAt: recordedAt.toISOString(),
      },
    ]
  }

  serveOperation(routes, operations.listVerifications, async ({ appId, query }) => {
    const { after, externalVerificationId, userId, status, limit } = query
    const place = after === undefined ? undefined : decodeListCursor('verifications', [z.guid()], after)
    if (place === null) return { refusal: { code: 'CURSOR_INVALID' } }
    const rows = await overview.listOfApp({
      appId,
      after: place?.[0],
      limit: limit + 1,
      ...(externalVerificationId === undefined ? {} : { externalVerificationId }),
      ...(userId === undefined ? {} : { userId }),
      ...(status === undefined ? {} : { resultStatus: status }),
    })
    const page = pageOf(rows, limit, ({ verificationId }) => encodeListCursor('verifications', [verificationId]))
    const items = (await Promise.all(page.items.map(present))).flat()
    return answer(200, { items, nextCursor: page.nextCursor })
  })
}
