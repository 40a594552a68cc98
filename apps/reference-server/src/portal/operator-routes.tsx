import type { VerificationStore } from '@kyc-relay/kyc-core'
import { Hono } from 'hono'
import { z } from 'zod'
import { KycPage, VerificationPage, type KycOfApp } from './pages/kyc-pages.js'
import { sendPage, sendProblem, type PortalEnv } from './portal-context.js'

const uuid = '[0-9A-Fa-f-]{36}'
const verificationsPerApp = 50

/** What the operator's pages read. */
export interface OperatorDeps {
  readonly verifications: Pick<VerificationStore, 'findKycStatus' | 'findVerification' | 'listVerifications'>
  /** Apps that hold anything of a user. */
  readonly listAppsOfUser: (userId: string) => Promise<readonly string[]>
  readonly findAppName: (appId: string) => Promise<string | null>
}

/** KYC verifications for the operator: read-only, personal data sealed, tokens masked. */
export function createOperatorRoutes(deps: OperatorDeps): Hono<PortalEnv> {
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/kyc', async (c) => {
    const session = c.get('session')
    const given = (c.req.query('user') ?? '').trim()
    if (given === '') return sendPage(c, <KycPage session={session} userId="" problem={null} found={null} />)
    const userId = z.uuid().safeParse(given).data?.toLowerCase()
    if (userId === undefined) {
      const problem = 'A user id is a UUID.'
      return sendPage(c, <KycPage session={session} userId={given.slice(0, 100)} problem={problem} found={null} />, 400)
    }
    const [status, appIds] = await Promise.all([deps.verifications.findKycStatus(userId), deps.listAppsOfUser(userId)])
    const apps = await Promise.all(
      appIds.map(async (appId): Promise<KycOfApp> => {
        const [appName, page] = await Promise.all([
          deps.findAppName(appId),
          deps.verifications.listVerifications({ appId, userId }, { limit: verificationsPerApp }),
        ])
        return { appId, appName, verifications: page.items, more: page.nextCursor !== null }
      }),
    )
    return sendPage(c, <KycPage session={session} userId={userId} problem={null} found={{ status, apps }} />)
  })

  routes.get(`/portal/kyc/:appId{${uuid}}/:userId{${uuid}}/:verificationId{${uuid}}`, async (c) => {
    const { appId, userId, verificationId } = c.req.param()
    const verification = await deps.verifications.findVerification({ appId, userId }, verificationId)
    if (verification === null) return sendProblem(c, 404)
    return sendPage(c, <VerificationPage session={c.get('session')} verification={verification} />)
  })

  return routes
}
