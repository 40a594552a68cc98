import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { VerificationOverview } from '../storage/verification-overview.js'
import { Hono } from 'hono'
import * as z from 'zod'
import { LatestPage } from './pages/latest-kyc-page.js'
import { KycPage, type KycOfApp } from './pages/user-kyc-page.js'
import { VerificationPage } from './pages/verification-page.js'
import type { MiddlewareHandler } from 'hono'
import type { OperatorRight } from '../identity/operators.js'
import { errorCode } from '../operations/log.js'
import { hasRight } from '../operator-api/internal-caller.js'
import {
  idInPath,
  operatorOf,
  sendPage,
  sendProblem,
  uuidPattern,
  type PortalContext,
  type PortalEnv,
} from './portal-context.js'

const verificationsPerApp = 50
const latestPerPage = 25

/** Dependencies of the operator's pages. */
export interface OperatorDeps {
  readonly verifications: Pick<VerificationStore, 'findKycStatus' | 'findVerification' | 'listVerifications'>
  readonly photoJobs: Pick<PhotoJobStore, 'listPhotos'>
  readonly overview: VerificationOverview
  /** Lists the apps with data of a user. */
  readonly listAppsOfUser: (userId: string) => Promise<readonly string[]>
  readonly findAppName: (appId: string) => Promise<string | null>
  readonly now: () => Date
}

/** Path of the page of a verification. */
export const verificationRoute = `/portal/kyc/:appId{${uuidPattern}}/:userId{${uuidPattern}}/:verificationId{${uuidPattern}}`

/** Lets operators with this right pass. */
export function requirePageRight(right: OperatorRight): MiddlewareHandler<PortalEnv> {
  return async (c, next) => (hasRight(operatorOf(c), right) ? next() : sendProblem(c, 'right'))
}

/** Finds the verification of a path with all that its page shows; null if it is unknown. */
export async function findShownVerification(c: PortalContext, deps: OperatorDeps) {
  const verificationId = idInPath(c, 'verificationId')
  const owner = { appId: idInPath(c, 'appId'), userId: idInPath(c, 'userId') }
  const verification = await deps.verifications.findVerification(owner, verificationId)
  if (verification === null) return null
  const [photos, appName] = await Promise.all([
    deps.photoJobs.listPhotos(owner, verificationId),
    deps.findAppName(owner.appId),
  ])
  return { session: c.get('session'), verification, appName, photos, now: deps.now() }
}

/** Creates the operators' pages of KYC verifications: read-only, without personal data. */
export function createOperatorRoutes(deps: OperatorDeps): Hono<PortalEnv> {
  const routes = new Hono<PortalEnv>()
  routes.use('/portal/kyc/*', requirePageRight('read'))

  routes.get('/portal/kyc', async (c) => {
    const session = c.get('session')
    const given = (c.req.query('user') ?? '').trim()
    if (given === '') {
      const before = z.guid().safeParse(c.req.query('before')).data?.toLowerCase()
      const rows = await deps.overview.listLatest({ limit: latestPerPage + 1, ...(before ? { before } : {}) })
      const page = rows.slice(0, latestPerPage)
      const names = new Map<string, string | null>()
      for (const { appId } of page) if (!names.has(appId)) names.set(appId, await deps.findAppName(appId))
      const latest = page.map((row) => ({ ...row, appName: names.get(row.appId) ?? null }))
      const next = rows.length > latestPerPage ? (page.at(-1)?.verificationId ?? null) : null
      return sendPage(c, <LatestPage session={session} latest={latest} next={next} first={before === undefined} />)
    }
    const userId = z.guid().safeParse(given).data?.toLowerCase()
    if (userId === undefined) {
      const problem = 'Enter the user id as a UUID.'
      return sendPage(c, <KycPage session={session} userId={given.slice(0, 100)} problem={problem} found={null} />, 400)
    }
    const [status, appIds] = await Promise.all([deps.verifications.findKycStatus(userId), deps.listAppsOfUser(userId)])
    const { app: pagedApp, cursor } = c.req.query()
    const apps = await Promise.all(
      appIds.map(async (appId): Promise<KycOfApp> => {
        const start = appId === pagedApp && cursor ? { cursor } : null
        const [appName, page] = await Promise.all([
          deps.findAppName(appId),
          deps.verifications.listVerifications({ appId, userId }, { limit: verificationsPerApp, ...start }),
        ])
        return { appId, appName, verifications: page.items, nextCursor: page.nextCursor, isFirst: start === null }
      }),
    ).catch((error: unknown) => {
      if (errorCode(error) === 'CURSOR_INVALID') return null
      throw error
    })
    if (apps === null) return sendProblem(c, 404)
    return sendPage(c, <KycPage session={session} userId={userId} problem={null} found={{ status, apps }} />)
  })

  routes.get(verificationRoute, async (c) => {
    const shown = await findShownVerification(c, deps)
    return shown === null ? sendProblem(c, 404) : sendPage(c, <VerificationPage {...shown} />)
  })

  return routes
}
