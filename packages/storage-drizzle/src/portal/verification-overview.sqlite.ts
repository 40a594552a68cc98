import { asc, desc, gt, lt, sql } from 'drizzle-orm'
import { checkedLimit } from '../page-cursor.js'
import { vaultReference, type VerificationOverview } from './verification-overview.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import { verifications } from '../verifications/tables.sqlite.js'

const value = sql.placeholder

/** Creates the overview of all verifications in one SQLite database. */
export function createVerificationOverview(db: DrizzleDatabase): VerificationOverview {
  const latest = db
    .select({
      verificationId: verifications.verificationId,
      appId: verifications.appId,
      userId: verifications.userId,
      decision: verifications.decision,
      resultStatus: verifications.resultStatus,
      recordedAt: verifications.recordedAt,
    })
    .from(verifications)
    .where(lt(verifications.verificationId, value('before')))
    .orderBy(desc(verifications.verificationId))
    .limit(value('limit'))
    .prepare()
  const needed = {
    appId: verifications.appId,
    userId: verifications.userId,
    ssnToken: verifications.ssnToken,
    documentNumberToken: verifications.documentNumberToken,
  }
  const references = {
    newest: db
      .select(needed)
      .from(verifications)
      .where(gt(verifications.verificationId, ''))
      .orderBy(desc(verifications.verificationId))
      .limit(value('limit'))
      .prepare(),
    oldest: db
      .select(needed)
      .from(verifications)
      .where(gt(verifications.verificationId, ''))
      .orderBy(asc(verifications.verificationId))
      .limit(value('limit'))
      .prepare(),
  }
  return {
    listLatest: ({ limit, before = '~' }) =>
      read(() =>
        latest
          .all({ before, limit: checkedLimit(limit) })
          .map(({ recordedAt, ...row }) => ({ ...row, recordedAt: new Date(recordedAt) })),
      ),
    listVaultReferences: ({ of, limit }) =>
      read(() => references[of].all({ limit: checkedLimit(limit) }).map(vaultReference)),
  }
}
