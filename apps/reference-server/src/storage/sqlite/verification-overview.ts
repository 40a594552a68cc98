import type { SqliteOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { vaultReference, type LatestVerification, type VerificationOverview } from '../verification-overview.js'

/** The columns that are read of the stores' table. */
const verifications = sqliteTable('kyc_relay_verifications', {
  verificationId: text('verification_id').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  externalVerificationId: text('external_verification_id').notNull(),
  decision: text('decision').$type<LatestVerification['decision']>().notNull(),
  resultStatus: text('result_status').$type<LatestVerification['resultStatus']>().notNull(),
  recordedAt: integer('recorded_at', { mode: 'timestamp_ms' }).notNull(),
  ssnToken: text('ssn_token'),
  documentNumberToken: text('document_number_token'),
})

const {
  verificationId,
  appId,
  userId,
  externalVerificationId,
  decision,
  resultStatus,
  recordedAt,
  ssnToken,
  documentNumberToken,
} = verifications

/** Creates the overview of all verifications on SQLite. */
export function createVerificationOverview(database: SqliteOwnDatabase): VerificationOverview {
  return {
    listLatest: ({ limit, before = '~' }) =>
      database.read((db) =>
        db
          .select({ verificationId, appId, userId, decision, resultStatus, recordedAt })
          .from(verifications)
          .where(lt(verificationId, before))
          .orderBy(desc(verificationId))
          .limit(limit)
          .all(),
      ),
    listOfApp: (page) =>
      database.read((db) => {
        // A user has few verifications, so they are found first and then sorted. As an expression, the id is not searched by.
        const id = page.userId === undefined ? sql`${verificationId}` : sql`+${verificationId}`
        return db
          .select({ verificationId, appId, userId, decision, resultStatus, recordedAt })
          .from(verifications)
          .where(
            and(
              eq(appId, page.appId),
              gt(id, page.after ?? ''),
              page.userId === undefined ? undefined : eq(userId, page.userId),
              page.externalVerificationId === undefined
                ? undefined
                : eq(externalVerificationId, page.externalVerificationId),
              page.resultStatus === undefined ? undefined : eq(resultStatus, page.resultStatus),
            ),
          )
          .orderBy(asc(id))
          .limit(page.limit)
          .all()
      }),
    findOwner: (id) =>
      database.read(
        (db) => db.select({ appId, userId }).from(verifications).where(eq(verificationId, id)).limit(1).get() ?? null,
      ),
    listVaultReferences: ({ of, limit }) =>
      database.read((db) =>
        db
          .select({ appId, userId, ssnToken, documentNumberToken })
          .from(verifications)
          .where(gt(verificationId, ''))
          .orderBy(of === 'newest' ? desc(verificationId) : asc(verificationId))
          .limit(limit)
          .all()
          .map(vaultReference),
      ),
  }
}
