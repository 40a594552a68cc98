import { Hono, type Context } from 'hono'
import { violation } from '../http/violations.js'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import type { Log } from '../operations/log.js'
import { id } from '../operator-api/field-schemas.js'
import { callerKey, readActing, requireRight } from '../operator-api/internal-caller.js'
import { peopleOperations } from '../operator-api/people-operations.js'
import { photoAnswer, photoSide } from './photo-answer.js'
import { replacePhotoUrl, type PhotoUrlDeps } from './replace-photo-url.js'
import { readEvidence, readPhoto, type EvidenceDeps, type KeptEvidence, type Revealer } from './read-evidence.js'

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

/** Creates the routes that open the sealed record of a verification and its photos, for operators with the right. */
export function createEvidenceRoutes(deps: EvidenceRoutesDeps): Hono<EdgeEnv> {
  const { limits, log } = deps
  const routes = new Hono<EdgeEnv>()

  /** Who looks, and why; or the refusal. */
  async function gate(
    c: Context<EdgeEnv>,
    schema: typeof peopleOperations.readEvidence.body,
  ): Promise<Revealer | Response> {
    const { verdict, headers } = limits.take('evidence', callerKey(c.get('caller')))
    if (!verdict.allowed) return refuseProblem(c, { code: 'RATE_LIMITED' }, headers)
    const body = await readActing(c, schema)
    return body.ok ? { actor: body.actor, purpose: body.value.purpose } : body.response
  }

  routes.post('/verifications/:verificationId/evidence', requireRight('evidence'), async (c) => {
    const verificationId = id.safeParse(c.req.param('verificationId'))
    if (!verificationId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const looker = await gate(c, peopleOperations.readEvidence.body)
    if (looker instanceof Response) return looker
    const answer = await readEvidence(verificationId.data, looker, deps)
    if (answer.kind === 'unknown') return refuseProblem(c, { code: 'NOT_FOUND', detail: 'VERIFICATION_UNKNOWN' })
    if (answer.kind === 'erased') return refuseErased(c, answer.kept)
    log.info('evidence opened', { requestId: c.env.requestId, verificationId: verificationId.data })
    return c.json(answer.evidence, 200, { 'cache-control': 'no-store' })
  })

  routes.post('/verifications/:verificationId/photos/:side', requireRight('evidence'), async (c) => {
    const verificationId = id.safeParse(c.req.param('verificationId'))
    const side = photoSide.safeParse(c.req.param('side'))
    if (!verificationId.success || !side.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const looker = await gate(c, peopleOperations.readPhoto.body)
    if (looker instanceof Response) return looker
    const answer = await readPhoto({ verificationId: verificationId.data, side: side.data }, looker, deps)
    if (answer.kind === 'unknown') return refuseProblem(c, { code: 'NOT_FOUND', detail: 'PHOTO_UNKNOWN' })
    if (answer.kind === 'erased') return refuseErased(c, answer.kept)
    if (answer.kind === 'not_stored')
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'PHOTO_NOT_STORED', status: 409 })
    log.info('photo opened', { requestId: c.env.requestId, verificationId: verificationId.data })
    return photoAnswer(c, answer)
  })
  routes.put('/verifications/:verificationId/photos/:side', requireRight('correct'), async (c) => {
    const verificationId = id.safeParse(c.req.param('verificationId'))
    const side = photoSide.safeParse(c.req.param('side'))
    if (!verificationId.success || !side.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readActing(c, peopleOperations.replacePhotoUrl.body)
    if (!body.ok) return body.response
    const { url, reason } = body.value
    if (!deps.isPhotoUrl(url)) {
      const fields = [violation('/url', 'FORMAT')]
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields })
    }
    const photo = { verificationId: verificationId.data, side: side.data }
    const answer = await replacePhotoUrl({ ...photo, url, actor: { name: body.actor, reason } }, deps)
    if (answer === 'not_found') return refuseProblem(c, { code: 'NOT_FOUND', detail: 'PHOTO_UNKNOWN' })
    if (answer === 'not_replaceable')
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'PHOTO_NOT_REPLACEABLE', status: 409 })
    deps.wakePhotos()
    log.info('photo URL replaced', { requestId: c.env.requestId, verificationId: photo.verificationId })
    return c.body(null, 204)
  })
  return routes
}

/** Refuses a look at an erased user, with what stays. */
function refuseErased(c: Context<EdgeEnv>, kept: KeptEvidence): Response {
  return refuseProblem(c, { code: 'USER_ERASED', kept })
}
