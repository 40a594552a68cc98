import type Database from 'better-sqlite3'
import type { Token, VerificationRecord, VerificationStore } from '@kyc-relay/kyc-core'
import { checkedId } from '../checked-owner.js'
import { decodeCursor, encodeCursor } from '../page-cursor.js'
import { checkedLimit, pageOf } from '../pages.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import { findStatus } from './current-status.sqlite.js'
import { findExisting, prepareRecording, record, type RecordingDependencies } from './recording.sqlite.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import type { kycStatusLog, verifications } from './tables.sqlite.js'
import { prepareReadingStatements } from './statements.sqlite.js'
import { referencedTokens } from './referenced-tokens.js'

interface VerificationRow {
  readonly verification: typeof verifications.$inferSelect
  readonly log: typeof kycStatusLog.$inferSelect
}

const cursorOf = ({ verification }: VerificationRow) => encodeCursor(verification.position)

/** Creates the verification store on one SQLite connection. Reads see committed rows only. */
export function createVerificationStore(
  dependencies: RecordingDependencies & {
    readonly client: Database.Database
    readonly db: DrizzleDatabase
    readonly commits: GroupCommit
  },
): VerificationStore {
  const { client, db, commits } = dependencies
  const recording = prepareRecording(client)
  const statements = prepareReadingStatements(db)

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
    findExisting: (key) => read(() => findExisting(recording, key)),
    record: (submission) => commits.write(() => record(recording, submission, dependencies)),
    findReferencedTokens: (tokens) =>
      read(() => {
        const rows = statements.findReferencedTokens.all({ tokens: JSON.stringify(tokens.map(({ token }) => token)) })
        return referencedTokens(tokens, rows)
      }),
    findKycStatus: (userId) => read(() => findStatus(recording, checkedId(userId))),
    findVerification: (owner, verificationId) =>
      read(() => {
        const row = statements.findVerification.get({ ...owner, verificationId })
        return row === undefined ? null : readBack(row)
      }),
    listVerifications: (owner, { limit, cursor }) =>
      read(() => {
        const before = decodeCursor(cursor)
        const rows = statements.listVerifications.all({ ...owner, before, limit: checkedLimit(limit) + 1 })
        const { items, nextCursor } = pageOf(rows, limit, cursorOf)
        return { items: items.map(readBack), cursors: items.map(cursorOf), nextCursor }
      }),
  }
}
