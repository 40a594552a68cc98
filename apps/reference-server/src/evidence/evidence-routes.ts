import type { Hono } from 'hono'
import { violation } from '../http/violations.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import type { Log } from '../operations/log.js'
import { limitEvidence } from '../operator-api/internal-caller.js'
import { peopleOperations as operations } from '../operator-api/people-operations.js'
import { serveInternal } from '../operator-api/serve-internal.js'
import { answer } from '../webhooks-api/operation.js'
import { photoAnswer } from './photo-answer.js'
import { replacePhotoUrl, type PhotoUrlDeps } from './replace-photo-url.js'
import { readEvidence, readPhoto, type EvidenceDeps } from './read-evidence.js'

const photoUnknown = { refusal: { code: 'NOT_FOUND', detail: 'PHOTO_UNKNOWN' } } as const

/** Dependencies of the evidence routes. */
export interface EvidenceRoutesDeps extends EvidenceDeps {
  readonly photoJobs: PhotoUrlDeps['photoJobs']
  readonly vault: EvidenceDeps['vault'] & PhotoUrlDeps['vault']
  /** Checks the form of a photo URL as for a submission. */
  readonly isPhotoUrl: (url: string) => boolean
  /** Wakes the photo worker of this process. */
  readonly wakePhotos: () => void
  readonly limits: RequestLimits
  readonly log: Log
}

/** Serves the sealed record of a verification and its photos, to operators with the right. */
export function serveEvidence(routes: Hono<EdgeEnv>, deps: EvidenceRoutesDeps): void {
  const { log } = deps
  const limit = limitEvidence(deps.limits)

  serveInternal(
    routes,
    { ...operations.readEvidence, limit },
    async ({ params: { verificationId }, body: { purpose }, actor }, c) => {
      const found = await readEvidence(verificationId, { actor, purpose }, deps)
      if (found.kind === 'unknown') return { refusal: { code: 'NOT_FOUND', detail: 'VERIFICATION_UNKNOWN' } }
      if (found.kind === 'erased') return { refusal: { code: 'USER_ERASED', kept: found.kept } }
      log.info('evidence opened', { requestId: c.env.requestId, verificationId })
      return answer(200, found.evidence)
    },
  )

  serveInternal(routes, { ...operations.readPhoto, limit }, async ({ params, body: { purpose }, actor }, c) => {
    const found = await readPhoto(params, { actor, purpose }, deps)
    if (found.kind === 'unknown') return photoUnknown
    if (found.kind === 'erased') return { refusal: { code: 'USER_ERASED', kept: found.kept } }
    if (found.kind === 'not_stored')
      return { refusal: { code: 'BAD_REQUEST', detail: 'PHOTO_NOT_STORED', status: 409 } }
    log.info('photo opened', { requestId: c.env.requestId, verificationId: params.verificationId })
    return photoAnswer(c, found)
  })

  serveInternal(routes, operations.replacePhotoUrl, async ({ params, body: { url, reason }, actor: name }, c) => {
    if (!deps.isPhotoUrl(url)) {
      const fields = [violation('/url', 'FORMAT')]
      return { refusal: { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields } }
    }
    const outcome = await replacePhotoUrl({ ...params, url, actor: { name, reason } }, deps)
    if (outcome === 'not_found') return photoUnknown
    if (outcome === 'not_replaceable')
      return { refusal: { code: 'BAD_REQUEST', detail: 'PHOTO_NOT_REPLACEABLE', status: 409 } }
    deps.wakePhotos()
    log.info('photo URL replaced', { requestId: c.env.requestId, verificationId: params.verificationId })
    return answer(204)
  })
}
