import { PerformanceObserver, constants } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** The heap counts as full when more than this share is in use after a full collection. */
const fullShare = 0.85

/**
 * Time for which the result of a collection is valid, in milliseconds. Near the limit, collections are more frequent.
 */
const validForMs = 2_000

/** Creates the check. `nowMs` is a monotonic clock. */
export function createHeapCheck(nowMs: () => number): { collected(usedShare: number): void; isFull(): boolean } {
  let fullAtMs: number | null = null
  return {
    collected(usedShare) {
      fullAtMs = usedShare >= fullShare ? nowMs() : null
    },
    isFull: () => fullAtMs !== null && nowMs() - fullAtMs < validForMs,
  }
}

/**
 * Checks whether live objects nearly fill the heap of this process. Only a full collection separates live objects from
 * garbage.
 */
export function watchHeap(nowMs: () => number): { isFull(): boolean; close(): void } {
  const check = createHeapCheck(nowMs)
  const observer = new PerformanceObserver((list) => {
    const wasFull = list.getEntries().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR)
    if (!wasFull) return
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
    check.collected(used / limit)
  })
  observer.observe({ entryTypes: ['gc'] })
  return { isFull: check.isFull, close: () => observer.disconnect() }
}

function kindOf(entry: object): unknown {
  const detail = 'detail' in entry ? entry.detail : undefined
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined
}
