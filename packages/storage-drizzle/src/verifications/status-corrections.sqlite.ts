import type Database from 'better-sqlite3'
import { asc, eq } from 'drizzle-orm'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import { statusCorrectedEvent } from '../audit/recorded-content.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { findNewestVerification, findStatus, prepareStatusReads } from './current-status.sqlite.js'
import { kycStatusCorrections as corrections, kycStatusOutbox as outbox } from './tables.sqlite.js'

/** Creates the corrections of KYC statuses on one SQLite connection. */
export function createStatusCorrections(dependencies: {
  readonly client: Database.Database
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly audit: AuditChain | null
  readonly statusEvents: boolean
}): KycStatusCorrections {
  const { client, db, commits, audit, statusEvents } = dependencies
  const statements = prepareStatusReads(client)
  return {
    correctKycStatus: ({ expected, ...rest }) =>
      commits.write(() => {
        const { userId, correctionId, next } = rest
        const current = findStatus(statements, userId)
        if (current !== expected) return { kind: 'changed', current }
        const correction = { ...rest, previous: current }
        const afterVerification = findNewestVerification(statements, userId).position
        const at = correction.at.getTime()
        const inserted = db
          .insert(corrections)
          .values({ ...correction, at, afterVerification })
          .returning()
          .get()
        const change = { userId, changeId: correctionId, previous: current, next, at }
        if (statusEvents) db.insert(outbox).values(change).run()
        audit?.append(statusCorrectedEvent(audit.seal, inserted))
        return { kind: 'corrected', correction }
      }),
    listCorrections: (userId) =>
      read(() =>
        db
          .select()
          .from(corrections)
          .where(eq(corrections.userId, userId))
          .orderBy(asc(corrections.position))
          .all()
          .map(({ correctionId, previous, next, at, actor, reason }) => ({
            correctionId,
            userId,
            previous,
            next,
            at: new Date(at),
            actor,
            reason,
          })),
      ),
  }
}
