import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { checkReadiness, onceASecond } from '../../src/operations/readiness.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => undefined)

it.each<[string, Parameters<typeof checkReadiness>[0], boolean, Record<string, string>]>([
  ['nothing to ask', {}, true, {}],
  ['all well', { database: () => Promise.resolve(), worker: () => true }, true, { database: 'ok', worker: 'ok' }],
  [
    'a worker that does not work',
    { database: () => true, worker: () => false },
    false,
    { database: 'ok', worker: 'failing' },
  ],
  ['a database that refuses', { database: () => Promise.reject(new Error('canary')) }, false, { database: 'failing' }],
  [
    'a check that throws',
    {
      database: () => {
        throw new Error('canary')
      },
    },
    false,
    { database: 'failing' },
  ],
  ['a database that hangs', { database: never, worker: () => true }, false, { database: 'failing', worker: 'ok' }],
])('%s', async (_name, parts, ready, states) => {
  const checked = checkReadiness(parts, () => false)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await checked).toEqual({ ready, parts: states })
})

it('a server that is stopping is not ready, however well it is', async () => {
  const checked = await checkReadiness({ database: () => true }, () => true)
  expect(checked).toEqual({ ready: false, parts: { database: 'ok', server: 'stopping' } })
})

it('what an operator must see is told, and keeps no work away', async () => {
  const notes: Parameters<typeof checkReadiness>[2] = {
    disk: () => 'low',
    tokenPurge: () => 'refused',
    other: () => 'ok',
  }
  expect(await checkReadiness({ database: () => true }, () => false, notes)).toEqual({
    ready: true,
    parts: { database: 'ok', disk: 'low', tokenPurge: 'refused', other: 'ok' },
  })
})

it('a check that costs something is made once a second and never twice at once, whoever asks', async () => {
  let made = 0
  let nowMs = 0
  let end: (error?: Error) => void = () => undefined
  const check = onceASecond(
    () => {
      made += 1
      return new Promise<void>(
        (resolve, reject) => (end = (error) => (error === undefined ? resolve() : reject(error))),
      )
    },
    () => nowMs,
  )
  const asked = [check(), check()]
  nowMs = 5_000
  asked.push(check())
  end()
  await Promise.all(asked)
  expect(made).toBe(1)
  nowMs = 5_000
  const failing = check()
  end(new Error('canary'))
  await expect(failing).rejects.toThrow()
  nowMs = 5_999
  await expect(check()).rejects.toThrow()
  expect(made).toBe(2)
  nowMs = 6_000
  void check()
  expect(made).toBe(3)
})
