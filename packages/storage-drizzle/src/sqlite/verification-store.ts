import type { Prior, SubmissionKey, Token, VerificationRecord, VerificationStore } from '@kyc-relay/kyc-core'
import { checkedLimit, decodeCursor, encodeCursor } from '../page-cursor.js'
import { StorageError } from '../storage-error.js'
import type { DrizzleDatabase } from './drizzle-database.js'
import { read } from './read.js'
import type { SharedCommits } from './shared-commits.js'
import type { kycStatusLog, verifications } from './tables/verifications.js'
import { prepareVerificationStatements } from './verification-statements.js'

interface VerificationRow {
  readonly verification: typeof verifications.$inferSelect
  readonly log: typeof kycStatusLog.$inferSelect
}

type Recording = Parameters<VerificationStore['record']>[0]

/** The verification store on one SQLite connection. Reads see committed rows only. */
export function createVerificationStore(db: DrizzleDatabase, commits: SharedCommits): VerificationStore {
  const statements = prepareVerificationStatements(db)

  function findPrior(key: SubmissionKey): Prior | null {
    const row = statements.findPrior.get({ appId: key.appId, externalVerificationId: key.externalVerificationId })
    if (row === undefined) return null
    if (row.userId !== key.userId) return { kind: 'conflict' }
    const result = { status: row.resultStatus, verificationId: row.verificationId, message: row.resultMessage }
    return { kind: 'replayed', result, payloadDigest: new Uint8Array(row.payloadDigest) }
  }

  function record({ key, verification, payloadDigest, recordedAt, outcomes }: Recording) {
    const prior = findPrior(key)
    if (prior !== null) return prior
    const previous = statements.findStatus.get({ userId: key.userId })?.status ?? 'UNVERIFIED'
    const { next, result } = outcomes[previous]
    if (result.verificationId !== verification.verificationId) throw new StorageError('ARGUMENT_INVALID')
    const at = recordedAt.getTime()
    const { position } = statements.insertVerification.get({
      verificationId: verification.verificationId,
      appId: key.appId,
      userId: key.userId,
      externalVerificationId: key.externalVerificationId,
      externalVerificationProvider: verification.externalVerificationProvider,
      schemaVersion: verification.schemaVersion,
      decision: verification.decision,
      decisionedAt: verification.decisionedAt.getTime(),
      recordedAt: at,
      countryCode: verification.countryCode,
      resultStatus: result.status,
      resultMessage: result.message,
      payloadDigest,
      ssnToken: verification.ssn?.token ?? null,
      ssnStanding: verification.ssn?.standing ?? null,
      documentNumberToken: verification.documentNumber?.token ?? null,
      sealedDetails: verification.sealedDetails,
    })
    verification.sections.forEach(({ section, verificationId, status }, ordinal) => {
      const row = { verification: position, ordinal, section, providerVerificationId: verificationId, status }
      statements.insertSection.run(row)
    })
    verification.checks.forEach(({ section, name, status }, ordinal) => {
      statements.insertCheck.run({ verification: position, ordinal, section, name, status })
    })
    verification.declineCodes.forEach((code, ordinal) => {
      statements.insertDeclineCode.run({ verification: position, ordinal, code })
    })
    for (const { photoJobId, side, sealedUrl } of verification.photoJobs) {
      statements.insertPhotoJob.run({ photoJobId, verification: position, side, sealedUrl, createdAt: at })
    }
    if (next !== previous) statements.setStatus.run({ userId: key.userId, status: next, since: at })
    statements.insertStatusLog.run({ verification: position, userId: key.userId, previous, next, at })
    return { kind: 'recorded', result } as const
  }

  function readBack({ verification, log }: VerificationRow): VerificationRecord {
    const of = { verification: verification.position }
    const { ssnToken, ssnStanding, documentNumberToken } = verification
    return {
      verificationId: verification.verificationId,
      appId: verification.appId,
      userId: verification.userId,
      externalVerificationId: verification.externalVerificationId,
      externalVerificationProvider: verification.externalVerificationProvider,
      schemaVersion: verification.schemaVersion,
      decision: verification.decision,
      decisionedAt: new Date(verification.decisionedAt),
      recordedAt: new Date(verification.recordedAt),
      countryCode: verification.countryCode,
      result: {
        status: verification.resultStatus,
        verificationId: verification.verificationId,
        message: verification.resultMessage,
      },
      ssn: ssnToken === null || ssnStanding === null ? null : { token: ssnToken as Token, standing: ssnStanding },
      documentNumber: documentNumberToken === null ? null : { token: documentNumberToken as Token },
      sections: statements.listSections.all(of).map(({ section, providerVerificationId, status }) => ({
        section,
        verificationId: providerVerificationId,
        status,
      })),
      checks: statements.listChecks.all(of).map(({ section, name, status }) => ({ section, name, status })),
      declineCodes: statements.listDeclineCodes.all(of).map(({ code }) => code),
      statusLog: { previous: log.previous, next: log.next, at: new Date(log.at) },
      sealedDetails: new Uint8Array(verification.sealedDetails),
    }
  }

  return {
    findPrior: (key) => read(() => findPrior(key)),
    record: (recording) => commits.write(() => record(recording)),
    findReferencedTokens: (tokens) =>
      read(() => {
        const asked = new Set(tokens)
        const rows = statements.findReferencedTokens.all({ tokens: JSON.stringify(tokens) })
        const found = rows.flatMap((row) => [row.ssnToken, row.documentNumberToken])
        return new Set(found.filter((token): token is Token => asked.has(token as Token)))
      }),
    findKycStatus: (userId) => read(() => statements.findStatus.get({ userId })?.status ?? 'UNVERIFIED'),
    findVerification: (owner, verificationId) =>
      read(() => {
        const row = statements.findVerification.get({ ...owner, verificationId })
        return row === undefined ? null : readBack(row)
      }),
    listVerifications: (owner, { limit, cursor }) =>
      read(() => {
        const before = decodeCursor(cursor)
        const rows = statements.listVerifications.all({ ...owner, before, limit: checkedLimit(limit) + 1 })
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const more = rows.length > limit && last !== undefined
        return { items: page.map(readBack), nextCursor: more ? encodeCursor(last.verification.position) : null }
      }),
  }
}
