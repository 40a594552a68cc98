import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { verifications } from './tables.sqlite.js'

const value = sql.placeholder

/** Prepares the statements that read verifications, once per connection. */
export function prepareReadingStatements(db: DrizzleDatabase) {
  return {
    findReferencedTokens: db
      .select({
        appId: verifications.appId,
        userId: verifications.userId,
        ssnToken: verifications.ssnToken,
        documentNumberToken: verifications.documentNumberToken,
      })
      .from(verifications)
      .where(
        or(
          sql`${verifications.ssnToken} IN (SELECT value FROM json_each(${value('tokens')}))`,
          sql`${verifications.documentNumberToken} IN (SELECT value FROM json_each(${value('tokens')}))`,
        ),
      )
      .prepare(),
    findVerification: db
      .select()
      .from(verifications)
      .where(
        and(
          eq(verifications.verificationId, value('verificationId')),
          eq(verifications.appId, value('appId')),
          eq(verifications.userId, value('userId')),
        ),
      )
      .prepare(),
    listVerifications: db
      .select()
      .from(verifications)
      .where(
        and(
          eq(verifications.appId, value('appId')),
          eq(verifications.userId, value('userId')),
          lt(verifications.position, value('before')),
        ),
      )
      .orderBy(desc(verifications.position))
      .limit(value('limit'))
      .prepare(),
  }
}
