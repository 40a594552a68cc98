import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { DrizzleDatabase } from './drizzle-database.js'
import {
  declineCodes,
  kycStatuses,
  kycStatusLog,
  photoJobs,
  verificationChecks,
  verifications,
  verificationSections,
} from './tables/verifications.js'

const value = sql.placeholder

/** Every statement of the verification store, prepared once per connection. */
export function prepareVerificationStatements(db: DrizzleDatabase) {
  return {
    findPrior: db
      .select({
        userId: verifications.userId,
        verificationId: verifications.verificationId,
        resultStatus: verifications.resultStatus,
        resultMessage: verifications.resultMessage,
        payloadDigest: verifications.payloadDigest,
      })
      .from(verifications)
      .where(
        and(
          eq(verifications.appId, value('appId')),
          eq(verifications.externalVerificationId, value('externalVerificationId')),
        ),
      )
      .prepare(),
    findStatus: db
      .select({ status: kycStatuses.status })
      .from(kycStatuses)
      .where(eq(kycStatuses.userId, value('userId')))
      .prepare(),
    setStatus: db
      .insert(kycStatuses)
      .values({ userId: value('userId'), status: value('status'), since: value('since') })
      .onConflictDoUpdate({
        target: kycStatuses.userId,
        set: { status: sql`excluded.status`, since: sql`excluded.since` },
      })
      .prepare(),
    insertVerification: db
      .insert(verifications)
      .values({
        verificationId: value('verificationId'),
        appId: value('appId'),
        userId: value('userId'),
        externalVerificationId: value('externalVerificationId'),
        externalVerificationProvider: value('externalVerificationProvider'),
        schemaVersion: value('schemaVersion'),
        decision: value('decision'),
        decisionedAt: value('decisionedAt'),
        recordedAt: value('recordedAt'),
        countryCode: value('countryCode'),
        resultStatus: value('resultStatus'),
        resultMessage: value('resultMessage'),
        payloadDigest: value('payloadDigest'),
        ssnToken: value('ssnToken'),
        ssnStanding: value('ssnStanding'),
        documentNumberToken: value('documentNumberToken'),
        sealedDetails: value('sealedDetails'),
      })
      .returning({ position: verifications.position })
      .prepare(),
    insertSection: db
      .insert(verificationSections)
      .values({
        verification: value('verification'),
        ordinal: value('ordinal'),
        section: value('section'),
        providerVerificationId: value('providerVerificationId'),
        status: value('status'),
      })
      .prepare(),
    insertCheck: db
      .insert(verificationChecks)
      .values({
        verification: value('verification'),
        ordinal: value('ordinal'),
        section: value('section'),
        name: value('name'),
        status: value('status'),
      })
      .prepare(),
    insertDeclineCode: db
      .insert(declineCodes)
      .values({ verification: value('verification'), ordinal: value('ordinal'), code: value('code') })
      .prepare(),
    insertStatusLog: db
      .insert(kycStatusLog)
      .values({
        verification: value('verification'),
        userId: value('userId'),
        previous: value('previous'),
        next: value('next'),
        at: value('at'),
      })
      .prepare(),
    insertPhotoJob: db
      .insert(photoJobs)
      .values({
        photoJobId: value('photoJobId'),
        verification: value('verification'),
        side: value('side'),
        sealedUrl: value('sealedUrl'),
        state: 'PENDING',
        createdAt: value('createdAt'),
        dueAt: value('createdAt'),
      })
      .prepare(),
    findReferencedTokens: db
      .select({ ssnToken: verifications.ssnToken, documentNumberToken: verifications.documentNumberToken })
      .from(verifications)
      .where(
        or(
          sql`${verifications.ssnToken} IN (SELECT value FROM json_each(${value('tokens')}))`,
          sql`${verifications.documentNumberToken} IN (SELECT value FROM json_each(${value('tokens')}))`,
        ),
      )
      .prepare(),
    findVerification: db
      .select({ verification: verifications, log: kycStatusLog })
      .from(verifications)
      .innerJoin(kycStatusLog, eq(kycStatusLog.verification, verifications.position))
      .where(
        and(
          eq(verifications.verificationId, value('verificationId')),
          eq(verifications.appId, value('appId')),
          eq(verifications.userId, value('userId')),
        ),
      )
      .prepare(),
    listVerifications: db
      .select({ verification: verifications, log: kycStatusLog })
      .from(verifications)
      .innerJoin(kycStatusLog, eq(kycStatusLog.verification, verifications.position))
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
    listSections: db
      .select()
      .from(verificationSections)
      .where(eq(verificationSections.verification, value('verification')))
      .orderBy(verificationSections.ordinal)
      .prepare(),
    listChecks: db
      .select()
      .from(verificationChecks)
      .where(eq(verificationChecks.verification, value('verification')))
      .orderBy(verificationChecks.ordinal)
      .prepare(),
    listDeclineCodes: db
      .select()
      .from(declineCodes)
      .where(eq(declineCodes.verification, value('verification')))
      .orderBy(declineCodes.ordinal)
      .prepare(),
  }
}
