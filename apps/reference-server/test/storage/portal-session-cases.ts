import { deepEqual, equal, ok } from 'node:assert/strict'
import type { PortalHolder, PortalSessions } from '../../src/storage/portal-sessions.js'
import {
  race,
  refused,
  reopenCase,
  storageCase,
  type StorageCase,
} from '../../../../packages/storage-drizzle/test/storage-cases.js'
import { uuid } from '../../../../packages/storage-drizzle/test/storage-cases.js'

/** Handle for the cases of `PortalSessions`. */
export interface PortalSessionsHandle {
  readonly portalSessions: PortalSessions
}

const idleMs = 30 * 60_000
const absoluteMs = 8 * 60 * 60_000
const appId = uuid('app')
const app: PortalHolder = { kind: 'app', appId, appName: 'Example', keyVersion: 3 }
const otherApp: PortalHolder = { kind: 'app', appId: uuid('other app'), appName: 'Other', keyVersion: 1 }
const operator: PortalHolder = { kind: 'operator' }

const hashOf = (number: number) => new Uint8Array(32).fill(number)
const begin = ({ portalSessions }: PortalSessionsHandle, number: number, holder: PortalHolder = app, most = 100) =>
  portalSessions.beginSession({ hash: hashOf(number), holder, idleMs, absoluteMs, most })
const find = ({ portalSessions }: PortalSessionsHandle, number: number) =>
  portalSessions.findSession(hashOf(number), idleMs)
const isThere = async (handle: PortalSessionsHandle, number: number) => (await find(handle, number)) !== null

async function thoseThere(handle: PortalSessionsHandle, numbers: readonly number[]): Promise<readonly number[]> {
  const found = await Promise.all(numbers.map((number) => isThere(handle, number)))
  return numbers.filter((_, index) => found[index])
}

const keep = ({ portalSessions }: PortalSessionsHandle, number: number, name: string, most = 8) =>
  portalSessions.keepPreview({
    hash: hashOf(number),
    previewId: uuid(name),
    most,
    content: new TextEncoder().encode(`\0 ${name}`),
  })
async function take({ portalSessions }: PortalSessionsHandle, number: number, name: string): Promise<string | null> {
  const content = await portalSessions.takePreview({ hash: hashOf(number), previewId: uuid(name) })
  return content && new TextDecoder().decode(content)
}

/**
 * Lists the rules of the `PortalSessions` port as cases for any test runner. Each case needs a fresh harness.
 */
export const portalSessionCases: readonly StorageCase<PortalSessionsHandle>[] = [
  storageCase('SE-01', 'MUST find a session with its holder in every process, and no other', async (one, { other }) => {
    await begin(one, 1)
    await begin(other, 2, operator)
    deepEqual(await find(other, 1), { holder: app, notice: null })
    deepEqual(await find(one, 2), { holder: operator, notice: null })
    equal(await find(one, 3), null)
  }),
  storageCase('SE-02', 'MUST end a session a millisecond after it was idle for its time', async (one, use) => {
    await begin(one, 1)
    await begin(one, 2)
    await use.advance(idleMs)
    ok(await isThere(use.other, 1), 'it ends after its last millisecond')
    await use.advance(1)
    equal(await find(one, 2), null, 'one that was never found')
    await use.advance(idleMs - 1)
    ok(await isThere(one, 1), 'to be found begins the time anew')
    await use.advance(idleMs + 1)
    equal(await find(one, 1), null)
    equal(await find(use.other, 1), null, 'to be looked for does not')
  }),
  storageCase('SE-03', 'MUST end a session after its whole time, however busy it is', async (one, use) => {
    await begin(one, 1)
    for (let passedMs = 0; passedMs < absoluteMs; passedMs += idleMs) {
      ok(await isThere(one, 1))
      await use.advance(idleMs)
    }
    ok(await isThere(one, 1), 'it ends after its last millisecond')
    await use.advance(1)
    equal(await find(one, 1), null)
  }),
  storageCase('SE-04', 'MUST end a session in every process at once, and no other', async (one, { other }) => {
    await begin(one, 1)
    await begin(one, 2)
    ok(await isThere(other, 1))
    await one.portalSessions.endSession(hashOf(1))
    deepEqual(await thoseThere(other, [1, 2]), [2])
    await one.portalSessions.endSession(hashOf(1))
    deepEqual(await thoseThere(one, [1, 2]), [2], 'harmless when repeated')
  }),
  storageCase('SE-05', 'MUST end the other sessions of an app, and nobody else’s', async (one, { other }) => {
    await begin(one, 1)
    await begin(one, 2)
    await begin(other, 3)
    await begin(one, 4, otherApp)
    await begin(one, 5, operator)
    await one.portalSessions.endOtherSessions({ appId, keep: hashOf(2) })
    deepEqual(await thoseThere(other, [1, 2, 3, 4, 5]), [2, 4, 5])
  }),
  storageCase('SE-06', 'MUST NOT begin a session in place of another', async (one, { other }) => {
    await begin(one, 1)
    await refused(begin(other, 1, operator), { code: 'CONSTRAINT', hidden: [appId] })
    deepEqual(await find(one, 1), { holder: app, notice: null })
  }),
  storageCase('SE-07', 'MUST keep as many sessions of a holder as asked, the newest', async (one, use) => {
    for (const number of [1, 2, 3]) {
      await begin(one, number, app, 2)
      await begin(one, number + 10, operator, 2)
      await begin(one, number + 20, otherApp, 3)
      await use.advance(1)
    }
    deepEqual(await thoseThere(use.other, [1, 2, 3]), [2, 3])
    deepEqual(await thoseThere(use.other, [11, 12, 13]), [12, 13])
    deepEqual(await thoseThere(use.other, [21, 22, 23]), [21, 22, 23])
    await begin(one, 4, app, 1)
    deepEqual(await thoseThere(use.other, [1, 2, 3, 4]), [4], 'the new one stays')
  }),
  storageCase('SE-08', 'MUST keep a notice for its session until it is replaced', async (one, { other }) => {
    await begin(one, 1)
    await begin(one, 2)
    await one.portalSessions.setNotice(hashOf(1), 'first')
    await one.portalSessions.setNotice(hashOf(1), 'second “…”')
    deepEqual(await find(other, 1), { holder: app, notice: 'second “…”' })
    equal((await find(one, 1))?.notice, 'second “…”')
    equal((await find(one, 2))?.notice, null)
    await other.portalSessions.setNotice(hashOf(1), null)
    equal((await find(one, 1))?.notice, null)
  }),
  storageCase(
    'SE-09',
    'MUST give a preview to one of many that take it, and to its session',
    async (one, { other }) => {
      await begin(one, 1)
      await begin(one, 2)
      await keep(one, 1, 'a')
      await keep(one, 1, 'b')
      equal(await take(one, 2, 'a'), null)
      const taken = await race(one, other, (handle) => take(handle, 1, 'a'))
      deepEqual(
        taken.filter((content) => content !== null),
        ['\0 a'],
      )
      equal(await take(other, 1, 'b'), '\0 b')
    },
  ),
  storageCase('SE-10', 'MUST keep as many previews of a session as asked, the newest', async (one, { other }) => {
    await begin(one, 1)
    await begin(one, 2)
    await keep(one, 2, 'of another')
    for (const name of ['a', 'b', 'c']) await keep(one, 1, name, 2)
    equal(await take(other, 1, 'a'), null)
    deepEqual([await take(other, 1, 'b'), await take(other, 1, 'c')], ['\0 b', '\0 c'])
    equal(await take(other, 2, 'of another'), '\0 of another')
  }),
  storageCase('SE-11', 'MUST keep nothing without a session, and forget with it', async (one, { other }) => {
    await keep(one, 1, 'before')
    await one.portalSessions.setNotice(hashOf(1), 'before')
    await begin(one, 1)
    deepEqual([await take(one, 1, 'before'), (await find(one, 1))?.notice], [null, null])
    await keep(one, 1, 'during')
    await one.portalSessions.setNotice(hashOf(1), 'during')
    await other.portalSessions.endSession(hashOf(1))
    await begin(one, 1)
    deepEqual([await take(one, 1, 'during'), (await find(one, 1))?.notice], [null, null])
  }),
  storageCase('SE-12', 'MUST remove what has ended, with its previews, and only that', async (one, use) => {
    await begin(one, 1)
    await keep(one, 1, 'a')
    await use.advance(idleMs)
    await begin(one, 2)
    equal(await one.portalSessions.removeEnded(10), 0)
    ok(await isThere(one, 1))
    await use.advance(idleMs)
    ok(await isThere(one, 2))
    await use.advance(1)
    await begin(one, 3)
    equal(await one.portalSessions.removeEnded(1), 1)
    equal(await use.other.portalSessions.removeEnded(10), 0)
    deepEqual(await thoseThere(one, [1, 2, 3]), [2, 3])
    await begin(one, 1)
    equal(await take(one, 1, 'a'), null)
  }),
  reopenCase(
    'SE-13',
    'MUST have kept sessions and what belongs to them when it is closed',
    async (before) => {
      await begin(before, 1)
      await before.portalSessions.setNotice(hashOf(1), 'kept')
      await keep(before, 1, 'a')
    },
    async (after) => {
      deepEqual(await find(after, 1), { holder: app, notice: 'kept' })
      equal(await take(after, 1, 'a'), '\0 a')
    },
  ),
]
