import type Database from 'better-sqlite3'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import { checkedId } from '../checked-owner.js'
import { decodeCursor, encodeCursor } from '../page-cursor.js'
import { checkedLimit, pageOf } from '../pages.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import { findStatus } from './current-status.sqlite.js'
import { findExisting, prepareRecording, record, type RecordingDependencies } from './recording.sqlite.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { prepareReadingStatements } from './statements.sqlite.js'
import { referencedTokens } from './referenced-tokens.js'
import { verificationRecordOf } from './verification-record.js'

const cursorOf = ({ position }: { readonly position: number }) => encodeCursor(position)

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
        return row === undefined ? null : verificationRecordOf(row)
      }),
    listVerifications: (owner, { limit, cursor }) =>
      read(() => {
        const before = decodeCursor(cursor)
        const rows = statements.listVerifications.all({ ...owner, before, limit: checkedLimit(limit) + 1 })
        const { items, nextCursor } = pageOf(rows, limit, cursorOf)
        return { items: items.map(verificationRecordOf), cursors: items.map(cursorOf), nextCursor }
      }),
  }
}
