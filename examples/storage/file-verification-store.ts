import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import {
  KycError,
  type ExistingSubmission,
  type OwnedToken,
  type VerificationRecord,
  type VerificationStore,
} from '@kyc-relay/kyc-core'

type Recording = Parameters<VerificationStore['record']>[0]
interface Line {
  readonly record: VerificationRecord
  readonly payloadDigest: Uint8Array
}

/** Bytes and instants survive JSON by a name in front of them. */
const encode = (line: Line): string =>
  JSON.stringify(line, function (this: Record<string, unknown>, key, value: unknown) {
    const original = this[key]
    if (original instanceof Date) return `at:${original.toISOString()}`
    if (original instanceof Uint8Array) return `bytes:${Buffer.from(original).toString('base64')}`
    return typeof original === 'string' ? `text:${original}` : value
  })

const decode = (line: string): Line =>
  JSON.parse(line, (_key, value: unknown) => {
    if (typeof value !== 'string') return value
    if (value.startsWith('at:')) return new Date(value.slice(3))
    return value.startsWith('bytes:') ? new Uint8Array(Buffer.from(value.slice(6), 'base64')) : value.slice(5)
  }) as Line

/**
 * A verification store in one append-only file, to show what a backend has to promise. Every answer is read from the
 * file, and every write happens under a lock file, so that any number of processes may use it at once.
 *
 * Not for production: it reads the whole file each time, and a killed process leaves its lock file behind, where the
 * locks of a database end with the connection.
 */
export function createFileVerificationStore(path: string): VerificationStore {
  /** MUST: what one caller decides on is still so when it writes. Here one lock for all; a database has better ones. */
  async function locked<T>(work: () => T): Promise<T> {
    for (;;) {
      try {
        closeSync(openSync(`${path}.lock`, 'wx'))
        break
      } catch (error) {
        // Only a held lock is worth waiting for.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    try {
      return work()
    } finally {
      rmSync(`${path}.lock`)
    }
  }

  /** A line without its end was cut off by a crash: it was never acknowledged, so it never happened. */
  function readLines(): Line[] {
    if (!existsSync(path)) return []
    const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    return whole.filter((line) => line.endsWith('}')).map(decode)
  }

  /** MUST: another user's submission is a conflict and nothing of it is answered. */
  function findExisting(
    lines: readonly Line[],
    { appId, userId, externalVerificationId }: Recording['key'],
  ): ExistingSubmission | null {
    const found = lines.find(
      ({ record }) => record.appId === appId && record.externalVerificationId === externalVerificationId,
    )
    if (found === undefined) return null
    if (found.record.userId !== userId) return { kind: 'conflict' }
    return { kind: 'replayed', result: found.record.result, payloadDigest: found.payloadDigest }
  }

  const statusOf = (lines: readonly Line[], userId: string) =>
    lines.filter(({ record }) => record.userId === userId).at(-1)?.record.statusLog.next ?? 'UNVERIFIED'

  return {
    findExisting: async (key) => findExisting(readLines(), key),

    record: ({ key, verification, payloadDigest, recordedAt, outcomes }) =>
      locked(() => {
        const lines = readLines()
        const existing = findExisting(lines, key)
        if (existing !== null) return existing
        const { verificationId } = verification
        if (lines.some(({ record }) => record.verificationId === verificationId)) throw new Error('CONSTRAINT')
        // MUST: the present status is read under the lock that guards its change, and picks one of the outcomes.
        const previous = statusOf(lines, key.userId)
        const { next, result } = outcomes[previous]
        const { photoJobs: _fetchedElsewhere, ...columns } = verification
        const record = { ...columns, ...key, recordedAt, result, statusLog: { previous, next, at: recordedAt } }
        // MUST: all of it or nothing, and durable before the answer. One line, one write, one fsync. The line break in
        // front ends a line that a crash cut off.
        const file = openSync(path, 'a')
        try {
          writeSync(file, `${lines.length === 0 ? '' : '\n'}${encode({ record, payloadDigest })}\n`)
          fsyncSync(file)
        } finally {
          closeSync(file)
        }
        return { kind: 'recorded', result } as const
      }),

    findReferencedTokens: async (tokens) => {
      const records = readLines().map(({ record }) => record)
      // MUST: a token of another app or user is not referred to.
      const isReferenced = ({ appId, userId, token }: OwnedToken) =>
        records.some(
          (record) =>
            record.appId === appId &&
            record.userId === userId &&
            [record.ssn?.token, record.documentNumber?.token].includes(token),
        )
      return new Set(tokens.filter(isReferenced).map(({ token }) => token))
    },

    findKycStatus: async (userId) => statusOf(readLines(), userId),

    // MUST: a verification of another app or user is not there.
    findVerification: async ({ appId, userId }, verificationId) =>
      readLines().find(
        ({ record }) => record.verificationId === verificationId && record.appId === appId && record.userId === userId,
      )?.record ?? null,

    listVerifications: async ({ appId, userId }, { limit, cursor }) => {
      const own = readLines().filter(({ record }) => record.appId === appId && record.userId === userId)
      // The cursor is how many older ones are left: rows that arrive meanwhile are newer and change nothing.
      if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw new KycError('CURSOR_INVALID')
      const end = Math.min(cursor === undefined ? own.length : Number(cursor), own.length)
      const start = Math.max(0, end - limit)
      const items = own.slice(start, end).map(({ record }) => record)
      const cursors = items.map((_, index) => String(start + index))
      return {
        items: items.reverse(),
        cursors: cursors.reverse(),
        nextCursor: start === 0 ? null : String(start),
      }
    },
  }
}
