import type { StoredVault } from '@kyc-relay/storage-drizzle/internal'
import { Hono } from 'hono'
import * as z from 'zod'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import { violationsOf } from '../http/violations.js'
import type { Log } from '../operations/log.js'
import { decodeListCursor, encodeListCursor } from '../operator-api/list-cursor.js'
import { actorOf, callerKey, requireRight } from '../operator-api/internal-caller.js'
import { duplicatesQuery } from '../operator-api/read-schemas.js'

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
    // An empty parameter counts as absent, as in every list.
    const given = Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ''))
    const query = duplicatesQuery.safeParse(given)
    if (!query.success) {
      const isUnknown = query.error.issues.some(({ code }) => code === 'unrecognized_keys')
      if (isUnknown) return refuseProblem(c, { code: 'UNKNOWN_PARAMETER' })
      const fields = violationsOf(query.error, given)
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'QUERY_INVALID', fields })
    }
    const { appId, cursor, limit } = query.data
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
    const page = rows.slice(0, limit)
    log.info('duplicates listed', { requestId: c.env.requestId, appId, count: page.length })
    const items = page.map(({ field, userIds }) => ({ field: field === 'ssn' ? 'ssn' : 'document', userIds }))
    const nextCursor = rows.length > limit ? encodeListCursor(list, [Number(skip) + limit]) : null
    return c.json({ items, nextCursor }, 200, { 'cache-control': 'no-store' })
  })
  return routes
}
