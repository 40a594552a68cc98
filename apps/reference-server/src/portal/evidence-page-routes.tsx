import { Hono, type Context } from 'hono'
import type { RequestLimits } from '../http/request-limits.js'
import { photoAnswer, photoSide } from '../evidence/photo-answer.js'
import { readEvidence, readPhoto, type EvidenceDeps, type Revealer } from '../evidence/read-evidence.js'
import type { Log } from '../operations/log.js'
import { auditText } from '../operator-api/field-schemas.js'
import { callerKey } from '../operator-api/internal-caller.js'
import { findShownVerification, requirePageRight, verificationRoute, type OperatorDeps } from './operator-routes.js'
import { EvidencePage } from './pages/evidence-page.js'
import { VerificationPage } from './pages/verification-page.js'
import { operatorOf, sendPage, sendProblem, type PortalEnv } from './portal-context.js'

/** Dependencies of the pages that open sealed records. */
export interface EvidencePageDeps extends OperatorDeps {
  readonly evidence: EvidenceDeps
  readonly limits: RequestLimits
  readonly log: Log
}

/** Creates the pages that open the sealed record of a verification and its photos, for operators with the right. */
export function createEvidencePageRoutes(deps: EvidencePageDeps): Hono<PortalEnv> {
  const { evidence, log } = deps
  const routes = new Hono<PortalEnv>()
  routes.use(`${verificationRoute}/*`, requirePageRight('evidence'))

  routes.post(`${verificationRoute}/evidence`, async (c) => {
    const shown = await findShownVerification(c, deps)
    if (shown === null) return sendProblem(c, 404)
    const revealer = await gate(c)
    if (revealer instanceof Response) return revealer
    if (revealer === null) {
      const problem = 'Enter a purpose of 1 to 200 characters on one line.'
      return sendPage(c, <VerificationPage {...shown} purposeProblem={problem} />, 400)
    }
    const { verificationId } = shown.verification
    const answer = await readEvidence(verificationId, revealer, evidence)
    if (answer.kind === 'unknown') return sendProblem(c, 404)
    if (answer.kind === 'erased') return sendPage(c, <VerificationPage {...shown} erased />, 410)
    log.info('evidence opened', { requestId: c.env.requestId, verificationId })
    const { session } = shown
    return sendPage(c, <EvidencePage session={session} evidence={answer.evidence} purpose={revealer.purpose} />)
  })

  routes.post(`${verificationRoute}/photo`, async (c) => {
    const shown = await findShownVerification(c, deps)
    const side = photoSide.safeParse(c.get('form').get('side'))
    if (shown === null || !side.success) return sendProblem(c, 404)
    const revealer = await gate(c)
    if (revealer instanceof Response) return revealer
    if (revealer === null) return sendProblem(c, 'purpose')
    const { verificationId } = shown.verification
    const answer = await readPhoto({ verificationId, side: side.data }, revealer, evidence)
    if (answer.kind === 'unknown' || answer.kind === 'not_stored') return sendProblem(c, 404)
    if (answer.kind === 'erased') return sendPage(c, <VerificationPage {...shown} erased />, 410)
    log.info('photo opened', { requestId: c.env.requestId, verificationId })
    return photoAnswer(c, answer)
  })
  return routes

  /** Who looks, and why; null without a purpose, or the refusal. */
  async function gate(c: Context<PortalEnv>): Promise<Revealer | Response | null> {
    const operator = callerKey(operatorOf(c))
    const { verdict, headers } = deps.limits.take('evidence', operator)
    if (!verdict.allowed) {
      for (const [name, value] of Object.entries(headers)) c.header(name, value)
      return sendProblem(c, 429)
    }
    const purpose = auditText.safeParse(c.get('form').get('purpose'))
    return purpose.success ? { actor: operator, purpose: purpose.data } : null
  }
}
