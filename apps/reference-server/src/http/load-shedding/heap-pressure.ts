import { PerformanceObserver, constants } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** Share of the heap that is in use after a full collection above which the heap counts as full. */
const fullShare = 0.85

/** How long a collection tells about the heap. Near the limit the next one comes sooner than that. */
const validForMs = 2_000

/** The check alone. `nowMs` never runs backwards. */
export function judgeHeap(nowMs: () => number): { collected(usedShare: number): void; isFull(): boolean } {
  let fullAtMs: number | null = null
  return {
    collected(usedShare) {
      fullAtMs = usedShare >= fullShare ? nowMs() : null
    },
    isFull: () => fullAtMs !== null && nowMs() - fullAtMs < validForMs,
  }
}

/** Whether the heap of this process is nearly full of what is in use. Only a full collection tells that from garbage. */
export function watchHeap(nowMs: () => number): { isFull(): boolean; close(): void } {
  const check = judgeHeap(nowMs)
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
