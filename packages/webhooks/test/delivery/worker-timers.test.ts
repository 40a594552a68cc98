import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemTimers, timersOf } from '../../src/delivery/worker-timers.js'

const turn = () => new Promise((resolve) => setTimeout(resolve, 1))

afterEach(() => {
  vi.restoreAllMocks()
})

describe('system timers', () => {
  test('wait for no timer where nothing is to be waited for', async () => {
    const timeout = vi.spyOn(globalThis, 'setTimeout')
    await new Promise<void>((resolve) => systemTimers.schedule(resolve, 0))
    expect(timeout).not.toHaveBeenCalled()
  })

  test('let what is ready to run go first', async () => {
    const order: string[] = []
    const called = new Promise<void>((resolve) => {
      systemTimers.schedule(() => {
        order.push('scheduled')
        resolve()
      }, 0)
    })
    process.nextTick(() => order.push('tick'))
    await Promise.resolve().then(() => order.push('promise'))
    await called
    expect(order).toHaveLength(3)
    expect(order.at(-1)).toBe('scheduled')
  })

  test.each([0, 1])('what was scheduled in %i ms can be prevented', async (delayMs) => {
    const called = vi.fn()
    systemTimers.schedule(called, delayMs)()
    await turn()
    await turn()
    expect(called).not.toHaveBeenCalled()
  })

  test('take a time-out where the runtime has nothing sooner', async () => {
    const timers = timersOf({})
    await new Promise<void>((resolve) => timers.schedule(resolve, 0))
    const called = vi.fn()
    timers.schedule(called, 0)()
    await turn()
    expect(called).not.toHaveBeenCalled()
  })
})
