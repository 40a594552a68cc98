import type { StoredVault } from '@kyc-relay/storage-drizzle/internal'
import { Hono } from 'hono'
import * as z from 'zod'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import type { Log } from '../operations/log.js'
import { pageOf } from '../http/page-of.js'
import { decodeListCursor, encodeListCursor } from '../http/list-cursor.js'
import { actorOf, callerKey, requireRight } from '../operator-api/internal-caller.js'
import { duplicatesQuery } from '../operator-api/read-schemas.js'
import { checkQuery } from '../webhooks-api/operation.js'

/** Dependencies of the list of duplicates. */
export interface DuplicateRoutesDeps {
  readonly vault: { readonly inspection: Pick<StoredVault['inspection'], 'listShared'> }
  readonly limits: RequestLimits
  readonly log: Log
}

/**
 * Creates the list of users of one app who share an SSN or a document, for operators with the right `evidence`. Partners
 * never learn of it: a warning would tell whether a number is known.
 */
export function createDuplicateRoutes({ vault, limits, log }: DuplicateRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  routes.get('/duplicates', requireRight('evidence'), async (c) => {
    const { verdict, headers } = limits.take('evidence', callerKey(c.get('caller')))
    if (!verdict.allowed) return refuseProblem(c, { code: 'RATE_LIMITED' }, headers)
    const query = checkQuery(duplicatesQuery, c)
    if (!query.ok) return query.response
    const { appId, cursor, limit } = query.value
    const list = `duplicates ${appId}`
    const place = cursor === undefined ? [0] : decodeListCursor(list, [z.int32().min(1)], cursor)
    if (place === null) return refuseProblem(c, { code: 'CURSOR_INVALID' })
    const [skip] = place
    const rows = await vault.inspection.listShared({
      appId,
      skip: Number(skip),
      limit: limit + 1,
      actor: actorOf(c.get('caller')),
    })
    const page = pageOf(rows, limit, () => encodeListCursor(list, [Number(skip) + limit]))
    log.info('duplicates listed', { requestId: c.env.requestId, appId, count: page.items.length })
    const items = page.items.map(({ field, userIds }) => ({ field: field === 'ssn' ? 'ssn' : 'document', userIds }))
    return c.json({ items, nextCursor: page.nextCursor }, 200, { 'cache-control': 'no-store' })
  })
  return routes
}
