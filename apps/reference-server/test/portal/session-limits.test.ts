import { expect, it, vi } from 'vitest'
import { createSessions, type SessionDeps } from '../../src/portal/sessions.js'
import type { PreparedTest } from '../../src/webhooks-api/test-event.js'

it('a session ends after 30 idle minutes or 8 hours, as the oldest of 1,000, and keeps 8 previews', async () => {
  const holder = { kind: 'app', appId: 'app', appName: 'Example Wallet', keyVersion: 1 } as const
  const beginSession = vi.fn()
  const findSession = vi.fn(async () => ({ holder, notice: null }))
  const keepPreview = vi.fn()
  const portalSessions = { beginSession, findSession, keepPreview } as unknown as SessionDeps['portalSessions']
  const deps = { portalSessions, recordSignIn: vi.fn(), operators: [], newSecret: () => 'secret' }
  const sessions = createSessions(deps)
  const { id } = await sessions.begin(holder)
  const idleMs = 30 * 60_000
  const limits = { idleMs, absoluteMs: 8 * 3_600_000, most: 1_000 }
  expect(beginSession).toHaveBeenCalledWith(expect.objectContaining(limits))
  const session = await sessions.find(id)
  expect(findSession).toHaveBeenCalledWith(expect.anything(), idleMs)
  await session?.keepPreview('preview', { event: { body: new Uint8Array() } } as unknown as PreparedTest)
  expect(keepPreview).toHaveBeenCalledWith(expect.objectContaining({ most: 8 }))
})
