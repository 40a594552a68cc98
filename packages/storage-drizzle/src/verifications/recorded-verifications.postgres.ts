import { inArray } from 'drizzle-orm'
import { readStoredVerification } from '../audit/stored-verification.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import { submissionKeys, verifications } from './tables.postgres.js'

/** Reads verifications of these ids, and what a replay of each answers. */
async function readWithAnswers(on: Queryable, ids: string[]) {
  const query = queryBuilder(on)
  const rows = await query.select().from(verifications).where(inArray(verifications.verificationId, ids))
  const externalIds = rows.map((row) => row.externalVerificationId)
  const keys = await query
    .select()
    .from(submissionKeys)
    .where(inArray(submissionKeys.externalVerificationId, externalIds))
  const answers = new Set(keys.map(answerOf))
  return { rows, answers, isWhole: rows.every((row) => answers.has(answerOf(row))) }
}

/** Reads verifications of any owner by id, with all data that their audit entries record. */
export async function findRecordedVerifications(
  on: Queryable,
  verificationIds: readonly string[],
): Promise<readonly ReturnType<typeof readStoredVerification>[]> {
  const ids = [...verificationIds]
  const first = await readWithAnswers(on, ids)
  // Two statements, because the tables may be distributed differently. A user may have been erased between them.
  const { rows, answers } = first.isWhole ? first : await readWithAnswers(on, ids)
  return rows.map((row) => {
    // What a replay answers must be what was recorded.
    const payloadDigest = answers.has(answerOf(row)) ? row.payloadDigest : new Uint8Array()
    return readStoredVerification({ ...row, payloadDigest })
  })
}

type Answer = Pick<
  typeof submissionKeys.$inferSelect,
  'appId' | 'userId' | 'externalVerificationId' | 'verificationId' | 'resultStatus' | 'resultMessage' | 'payloadDigest'
>

/** What a replay answers, for comparison. */
function answerOf(row: Answer): string {
  const { appId, userId, externalVerificationId, verificationId, resultStatus, resultMessage, payloadDigest } = row
  const digest = payloadDigest && Buffer.from(payloadDigest).toString('hex')
  return JSON.stringify([appId, userId, externalVerificationId, verificationId, resultStatus, resultMessage, digest])
}
