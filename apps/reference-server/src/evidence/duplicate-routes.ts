import type { StoredVault } from '@kyc-relay/storage-drizzle/internal'
import type { Hono } from 'hono'
import * as z from 'zod'
import type { EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import type { Log } from '../operations/log.js'
import { pageOf } from '../http/page-of.js'
import { decodeListCursor, encodeListCursor } from '../http/list-cursor.js'
import { limitEvidence } from '../operator-api/internal-caller.js'
import { peopleOperations } from '../operator-api/people-operations.js'
import { serveInternal } from '../operator-api/serve-internal.js'
import { answer } from '../webhooks-api/operation.js'

/** Dependencies of the list of duplicates. */
export interface DuplicateRoutesDeps {
  readonly vault: { readonly inspection: Pick<StoredVault['inspection'], 'listShared'> }
  readonly limits: RequestLimits
  readonly log: Log
}

/**
 * Serves the list of users of one app who share an SSN or a document, for operators with the right `evidence`. Partners
 * never learn of it: a warning would tell whether a number is known.
 */
export function serveDuplicates(routes: Hono<EdgeEnv>, { vault, limits, log }: DuplicateRoutesDeps): void {
  const operation = { ...peopleOperations.duplicates, limit: limitEvidence(limits) }
  serveInternal(routes, operation, async ({ query: { appId, cursor, limit }, actor }, c) => {
    const list = `duplicates ${appId}`
    const place = cursor === undefined ? [0] : decodeListCursor(list, [z.int32().min(1)], cursor)
    if (place === null) return { refusal: { code: 'CURSOR_INVALID' } }
    const skip = Number(place[0])
    const shared = { appId, skip, limit: limit + 1, actor: { name: actor, reason: null } }
    const rows = await vault.inspection.listShared(shared)
    const page = pageOf(rows, limit, () => encodeListCursor(list, [skip + limit]))
    log.info('duplicates listed', { requestId: c.env.requestId, appId, count: page.items.length })
    const items = page.items.map(({ field, userIds }) => ({ field: field === 'ssn' ? 'ssn' : 'document', userIds }))
    return answer(200, { items, nextCursor: page.nextCursor })
  })
}
