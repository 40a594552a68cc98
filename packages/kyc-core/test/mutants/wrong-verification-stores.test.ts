import { USERS } from '../../src/testing/verification-submissions.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { KycError, type VerificationRecord, type VerificationStore } from '@kyc-relay/kyc-core'
import {
  createMemoryVerificationData,
  createMemoryVerificationStore,
  verificationStoreCases,
} from '@kyc-relay/kyc-core/testing'
import { wrongInOneSituation, type Wrong, type WrongStore } from './verification-stores/wrong-in-one-situation.js'

/*
 * Stores that are wrong on purpose, each in one way. The cases must catch every one of them, or a wrong backend of
 * somebody else would pass as well.
 */

type Recorded = Parameters<VerificationStore['record']>[0]

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const replace =
  (change: (record: VerificationRecord) => VerificationRecord): Wrong =>
  (store) => ({
    ...store,
    async findVerification(owner, id) {
      const record = await store.findVerification(owner, id)
      return record && change(record)
    },
    async listVerifications(owner, page) {
      const { items, ...cursors } = await store.listVerifications(owner, page)
      return { items: items.map(change), ...cursors }
    },
  })
const changeRecord =
  (change: (submission: Recorded) => Recorded): Wrong =>
  (store) => ({ ...store, record: (submission) => store.record(change(submission)) })

const WRONG: readonly WrongStore[] = [
  ...wrongInOneSituation,
  [
    'knows an unknown key',
    'VS-01',
    (store) => ({ ...store, findExisting: async (key) => (await store.findExisting(key)) ?? { kind: 'conflict' } }),
  ],
  [
    'loses the payload digest',
    'VS-02',
    changeRecord((submission) => ({ ...submission, payloadDigest: new Uint8Array(32) })),
  ],
  [
    'answers the new result to a replay',
    'VS-03',
    (store) => ({
      ...store,
      async record(submission) {
        const answer = await store.record(submission)
        return answer.kind === 'replayed' ? { ...answer, result: submission.outcomes.UNVERIFIED.result } : answer
      },
    }),
  ],
  [
    'changes the status on a replay',
    'VS-03',
    (store, { statuses }) => ({
      ...store,
      async record(submission) {
        const answer = await store.record(submission)
        statuses.set(submission.key.userId, submission.outcomes.UNVERIFIED.next)
        return answer
      },
    }),
  ],
  [
    'shows the original to another user',
    'VS-04',
    (store, { rows }) => ({
      ...store,
      async findExisting(key) {
        const existing = await store.findExisting(key)
        const row = rows.find(({ record }) => record.externalVerificationId === key.externalVerificationId)
        return existing && row
          ? { kind: 'replayed', result: row.record.result, payloadDigest: row.payloadDigest }
          : existing
      },
    }),
  ],
  [
    'says with a conflict whose it is',
    'VS-04',
    (store, { rows }) => ({
      ...store,
      async findExisting(key) {
        const existing = await store.findExisting(key)
        return existing?.kind === 'conflict' ? { ...existing, userId: rows[0]?.record.userId } : existing
      },
    }),
  ],
  [
    'has one space of ids for all apps',
    'VS-05',
    (store, { rows }) => ({
      ...store,
      async findExisting(key) {
        const taken = rows.some(({ record }) => record.externalVerificationId === key.externalVerificationId)
        return (await store.findExisting(key)) ?? (taken ? { kind: 'conflict' } : null)
      },
    }),
  ],
  [
    'folds the case of ids',
    'VS-06',
    (store) => {
      const fold = <K extends { readonly externalVerificationId: string }>(key: K): K => ({
        ...key,
        externalVerificationId: key.externalVerificationId.toLowerCase(),
      })
      return {
        ...store,
        findExisting: (key) => store.findExisting(fold(key)),
        record: (submission) => store.record({ ...submission, key: fold(submission.key) }),
      }
    },
  ],
  [
    'cuts ids at 254 characters',
    'VS-06',
    (store) => {
      const cut = <K extends { readonly externalVerificationId: string }>(key: K): K => ({
        ...key,
        externalVerificationId: key.externalVerificationId.slice(0, 254),
      })
      return {
        ...store,
        findExisting: (key) => store.findExisting(cut(key)),
        record: (submission) => store.record({ ...submission, key: cut(submission.key) }),
      }
    },
  ],
  [
    'looks first and writes later',
    'VS-07',
    (store, data) => ({
      ...store,
      async record(submission) {
        const existing = await store.findExisting(submission.key)
        await tick()
        if (existing) return existing
        const fresh = createMemoryVerificationData()
        fresh.statuses.set(submission.key.userId, data.statuses.get(submission.key.userId) ?? 'UNVERIFIED')
        const answer = await createMemoryVerificationStore(fresh).record(submission)
        data.rows.push(...fresh.rows)
        return answer
      },
    }),
  ],
  [
    'lets both of two racing users win',
    'VS-08',
    (store, { rows }) => ({
      ...store,
      async record(submission) {
        const answer = await store.record(submission)
        return answer.kind === 'conflict'
          ? { kind: 'recorded', result: rows[0]?.record.result ?? submission.outcomes.UNVERIFIED.result }
          : answer
      },
    }),
  ],
  [
    'sets the status before the rest can fail',
    'VS-09',
    (store, { statuses }) => ({
      ...store,
      async record(submission) {
        const { key, outcomes } = submission
        const before = statuses.get(key.userId) ?? 'UNVERIFIED'
        const existing = await store.findExisting(key)
        if (!existing) statuses.set(key.userId, outcomes[before].next)
        try {
          return await store.record(submission)
        } finally {
          if (before === 'UNVERIFIED' && !existing) statuses.set(key.userId, outcomes.UNVERIFIED.next)
        }
      },
    }),
  ],
  [
    'keeps the row of a failed record',
    'VS-09',
    (store, { rows }) => ({
      ...store,
      async record(submission) {
        try {
          return await store.record(submission)
        } catch (error) {
          const [first] = rows
          if (first) rows.push({ ...first, record: { ...first.record, ...submission.key } })
          throw error
        }
      },
    }),
  ],
  [
    'repeats a value in an error',
    'VS-09',
    (store) => ({
      ...store,
      record: (submission) =>
        store.record(submission).catch(() => {
          throw new Error(`duplicate: ${submission.key.externalVerificationId}`)
        }),
    }),
  ],
  [
    'repeats a value in the cause of an error',
    'VS-09',
    (store) => ({
      ...store,
      record: (submission) =>
        store.record(submission).catch(() => {
          throw new KycError('STORE_UNAVAILABLE', { cause: new Error(JSON.stringify(submission.key)) })
        }),
    }),
  ],
  [
    'overwrites what a failed record ran into',
    'VS-09',
    (store, { rows }) => ({
      ...store,
      record: (submission) =>
        store.record(submission).catch(() => {
          rows.pop()
          return store.record(submission)
        }),
    }),
  ],
  [
    'refuses a verification that it has already',
    'VS-11',
    (store, { rows }) => ({
      ...store,
      async record(submission) {
        const { verificationId } = submission.verification
        if (rows.some(({ record }) => record.verificationId === verificationId)) throw new Error('CONSTRAINT')
        return store.record(submission)
      },
    }),
  ],
  [
    'answers PASS for an unknown user',
    'VS-20',
    (store, { statuses }) => ({ ...store, findKycStatus: async (userId) => statuses.get(userId) ?? 'PASS' }),
  ],
  [
    'always takes the first outcome',
    'VS-21',
    changeRecord((submission) => {
      const { UNVERIFIED } = submission.outcomes
      return { ...submission, outcomes: { UNVERIFIED, PASS: UNVERIFIED, PASS_INTERNATIONAL: UNVERIFIED } }
    }),
  ],
  [
    'logs its own clock',
    'VS-21',
    replace((record) => ({ ...record, statusLog: { ...record.statusLog, at: new Date(0) } })),
  ],
  [
    'has one status for everybody',
    'VS-22',
    (store, { statuses }) => ({
      ...store,
      findKycStatus: async () => [...statuses.values()].at(-1) ?? 'UNVERIFIED',
    }),
  ],
  [
    'reads the status before it takes the lock',
    'VS-23',
    (store, { statuses }) => ({
      ...store,
      async record(submission) {
        const read = statuses.get(submission.key.userId) ?? 'UNVERIFIED'
        await tick()
        const outcome = submission.outcomes[read]
        const outcomes = { UNVERIFIED: outcome, PASS: outcome, PASS_INTERNATIONAL: outcome }
        return store.record({ ...submission, outcomes })
      },
    }),
  ],
  [
    'takes the status from the app with the last id',
    'VS-24',
    (store, { rows }) => ({
      ...store,
      async findKycStatus(userId) {
        const records = rows.map(({ record }) => record).filter((record) => record.userId === userId)
        const lastApp = records
          .map(({ appId }) => appId)
          .toSorted()
          .at(-1)
        return records.findLast(({ appId }) => appId === lastApp)?.statusLog.next ?? 'UNVERIFIED'
      },
    }),
  ],
  [
    'reads the status of a FAILED submission before it takes the lock',
    'VS-25',
    (store, { rows, statuses }) => ({
      ...store,
      async record(submission) {
        const { decision, verificationId } = submission.verification
        const read = statuses.get(submission.key.userId) ?? 'UNVERIFIED'
        await tick()
        const answer = await store.record(submission)
        const at = rows.findIndex(({ record }) => record.verificationId === verificationId)
        const row = rows[at]
        if (decision !== 'FAILED' || row === undefined) return answer
        const statusLog = { ...row.record.statusLog, previous: read, next: read }
        rows[at] = { ...row, record: { ...row.record, statusLog } }
        return answer
      },
    }),
  ],
  [
    'sorts the checks',
    'VS-30',
    replace((record) => ({ ...record, checks: [...record.checks].sort((a, b) => (a.name < b.name ? -1 : 1)) })),
  ],
  [
    'keeps repeated checks once',
    'VS-30',
    replace((record) => ({
      ...record,
      checks: record.checks.filter(({ name }, index, all) => all.findIndex((each) => each.name === name) === index),
    })),
  ],
  [
    'sorts the decline codes',
    'VS-30',
    replace((record) => ({ ...record, declineCodes: [...record.declineCodes].sort() })),
  ],
  [
    'drops milliseconds',
    'VS-30',
    replace((record) => ({ ...record, recordedAt: new Date(Math.floor(record.recordedAt.getTime() / 1000) * 1000) })),
  ],
  [
    'keeps ASCII only',
    'VS-30',
    replace((record) => ({
      ...record,
      externalVerificationProvider: record.externalVerificationProvider.replace(/[^ -~]/g, '?'),
    })),
  ],
  [
    'cuts sealed bytes at 64 KiB',
    'VS-30',
    replace((record) => ({ ...record, sealedDetails: record.sealedDetails.slice(0, 65_536) })),
  ],
  [
    'forgets that an SSN was validated',
    'VS-30',
    replace((record) => ({ ...record, ssn: record.ssn && { ...record.ssn, state: 'COLLECTED' } })),
  ],
  [
    'makes up a token',
    'VS-31',
    replace((record) => ({ ...record, ssn: record.ssn ?? { token: 'tok_', state: 'COLLECTED' } })),
  ],
  [
    'makes up a decline code',
    'VS-31',
    replace((record) => ({ ...record, declineCodes: record.declineCodes.length === 0 ? [''] : record.declineCodes })),
  ],
  [
    'finds a verification for anybody',
    'VS-32',
    (store, { rows }) => ({
      ...store,
      findVerification: async (_owner, id) => rows.find(({ record }) => record.verificationId === id)?.record ?? null,
    }),
  ],
  [
    'finds a verification for every user of the app',
    'VS-32',
    (store, { rows }) => ({
      ...store,
      findVerification: async (owner, id) =>
        rows.find(({ record }) => record.verificationId === id && record.appId === owner.appId)?.record ?? null,
    }),
  ],
  [
    'finds a verification in every app of the user',
    'VS-32',
    (store, { rows }) => ({
      ...store,
      findVerification: async (owner, id) =>
        rows.find(({ record }) => record.verificationId === id && record.userId === owner.userId)?.record ?? null,
    }),
  ],
  [
    'lists the oldest first',
    'VS-33',
    (store) => ({
      ...store,
      async listVerifications(owner, page) {
        const { items, ...cursors } = await store.listVerifications(owner, page)
        return { items: [...items].reverse(), ...cursors }
      },
    }),
  ],
  [
    'pages by offset, which moves when rows arrive',
    'VS-33',
    (store) => ({
      ...store,
      async listVerifications(owner, { limit, cursor }) {
        const { items, cursors } = await store.listVerifications(owner, { limit: 200 })
        const offset = Number(cursor ?? 0)
        const nextCursor = items.length > offset + limit ? String(offset + limit) : null
        return {
          items: items.slice(offset, offset + limit),
          cursors: cursors.slice(offset, offset + limit),
          nextCursor,
        }
      },
    }),
  ],
  [
    'repeats the last row of a page on the next',
    'VS-33',
    (store) => ({
      ...store,
      async listVerifications(owner, page) {
        const { items, cursors, nextCursor } = await store.listVerifications(owner, page)
        return { items, cursors, nextCursor: nextCursor && (cursors.at(-2) ?? nextCursor) }
      },
    }),
  ],
  [
    'ignores the limit',
    'VS-33',
    (store) => ({
      ...store,
      listVerifications: (owner, page) => store.listVerifications(owner, { ...page, limit: 200 }),
    }),
  ],
  [
    'promises a page after the last',
    'VS-34',
    (store) => ({
      ...store,
      async listVerifications(owner, page) {
        const { items, cursors, nextCursor } = await store.listVerifications(owner, page)
        return { items, cursors, nextCursor: nextCursor ?? (items.length === page.limit ? '0' : null) }
      },
    }),
  ],
  [
    'takes the owner of a page from the cursor',
    'VS-35',
    (store, { rows }) => ({
      ...store,
      listVerifications(owner, page) {
        const record = page.cursor === undefined ? undefined : rows[Number(page.cursor)]?.record
        return store.listVerifications(record ?? owner, page)
      },
    }),
  ],
  [
    'lists all users of the app',
    'VS-33',
    (store, { rows }) => ({
      ...store,
      async listVerifications(owner, { limit }) {
        const items = rows.map(({ record }) => record).filter((record) => record.appId === owner.appId)
        return { items: items.reverse().slice(0, limit), cursors: [], nextCursor: null }
      },
    }),
  ],
  [
    'has one cursor for all items of a page',
    'VS-38',
    (store) => ({
      ...store,
      async listVerifications(owner, page) {
        const { cursors, ...rest } = await store.listVerifications(owner, page)
        return { ...rest, cursors: cursors.map(() => cursors.at(-1) ?? '') }
      },
    }),
  ],
  [
    'begins anew after a text that is no cursor',
    'VS-39',
    (store) => ({
      ...store,
      listVerifications: (owner, page) =>
        store.listVerifications(owner, page).catch(() => store.listVerifications(owner, { limit: page.limit })),
    }),
  ],
  [
    'knows SSN tokens only',
    'VS-36',
    (store) => ({
      ...store,
      findReferencedTokens: (tokens) =>
        store.findReferencedTokens(tokens.filter(({ token }) => token.startsWith('tok_ssn_'))),
    }),
  ],
  [
    'calls every token referred to',
    'VS-36',
    (store) => ({ ...store, findReferencedTokens: async (tokens) => new Set(tokens.map(({ token }) => token)) }),
  ],
  [
    "takes another owner's reference for one of the owner",
    'VS-36',
    (store) => ({
      ...store,
      findReferencedTokens: async (tokens) => {
        const owners = Object.values(USERS)
        const ofAnyone = tokens.flatMap(({ token }) => owners.map((owner) => ({ ...owner, token })))
        return store.findReferencedTokens(ofAnyone)
      },
    }),
  ],
  [
    'refuses more than 999 tokens',
    'VS-37',
    (store) => ({
      ...store,
      async findReferencedTokens(tokens) {
        if (tokens.length > 999) throw new KycError('STORE_UNAVAILABLE')
        return store.findReferencedTokens(tokens)
      },
    }),
  ],
]

/** The cases that fail, beginning with `first`. One more beside it is enough to know that it is not alone. */
async function failingCases(wrong: Wrong, { first = '', durable = true } = {}): Promise<string[]> {
  const failing: string[] = []
  const isFirst = ({ id }: { id: string }) => id === first
  const cases = [...verificationStoreCases.filter(isFirst), ...verificationStoreCases.filter((one) => !isFirst(one))]
  for (const each of cases) {
    if (failing.length > 1) break
    let data = createMemoryVerificationData()
    const open = async () => {
      const store = wrong(createMemoryVerificationStore(data), data)
      const close = async (): Promise<void> => {
        if (!durable) data = createMemoryVerificationData()
      }
      return { store, close }
    }
    const passes = await each.run({ open }).then(
      () => true,
      () => false,
    )
    if (!passes) failing.push(each.id)
  }
  return failing
}

describe('a store that', () => {
  const caught = new Map<string, readonly string[]>()
  beforeAll(async () => {
    for (const [what, first, wrong] of WRONG) caught.set(what, await failingCases(wrong, { first }))
    caught.set('forgets everything', await failingCases((store) => store, { durable: false }))
  })

  it.each(WRONG)('%s is caught by %s', (what, caughtBy) => {
    expect(caught.get(what)).toContain(caughtBy)
  })

  it('forgets everything when it is closed is caught by VS-10', () => {
    expect(caught.get('forgets everything')).toEqual(['VS-10'])
  })

  it('is caught by one case alone: there is one for each case', () => {
    const alone = new Set([...caught.values()].flatMap((ids) => (ids.length === 1 ? ids : [])))
    expect([...alone].sort()).toEqual(verificationStoreCases.map(({ id }) => id).sort())
  })

  it('is right is not caught', async () => {
    expect(await failingCases((store) => store)).toEqual([])
  })
})
