import { afterEach, expect, it, vi } from 'vitest'
import { streamOf } from '../../src/user-export/export-routes.js'

afterEach(() => void vi.useRealTimers())

async function* texts(count: number) {
  for (let index = 0; index < count; index += 1) yield await Promise.resolve(`text ${index}`)
}

it('of an export is cut off when its client takes nothing for 30 s, and not before', async () => {
  vi.useFakeTimers()
  const onStalled = vi.fn()
  const reader = streamOf(texts(4), onStalled).getReader()
  for (let piece = 0; piece < 3; piece += 1) {
    await vi.advanceTimersByTimeAsync(29_999)
    expect((await reader.read()).done).toBe(false)
  }
  await vi.advanceTimersByTimeAsync(29_999)
  expect(onStalled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(onStalled).toHaveBeenCalledOnce()
})

it('of an export is not cut off after its end, or after its client has gone', async () => {
  vi.useFakeTimers()
  const onStalled = vi.fn()
  const read = streamOf(texts(1), onStalled).getReader()
  while (!(await read.read()).done);
  const left = streamOf(texts(2), onStalled).getReader()
  await left.read()
  await left.cancel()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(onStalled).not.toHaveBeenCalled()
})
