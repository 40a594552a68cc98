import { PerformanceObserver, constants } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** Share of the heap that is still in use after a full collection, above which no more work is taken. */
const fullShare = 0.85

/** How long a collection tells about the heap: near the limit the next one comes sooner than that. */
const tellsForMs = 2_000

/** Whether the heap is nearly full of what is in use. Garbage does not count: only a full collection tells the two apart. */
export interface HeapPressure {
  isFull(): boolean
  close(): void
}

/** The check alone. `nowMs` never runs backwards. */
export function judgeHeap(nowMs: () => number): {
  /** A full collection ended and left so much of the heap's limit in use. */
  collected(usedShare: number): void
  isFull(): boolean
} {
  let fullAtMs: number | null = null
  return {
    collected(usedShare) {
      fullAtMs = usedShare >= fullShare ? nowMs() : null
    },
    isFull: () => fullAtMs !== null && nowMs() - fullAtMs < tellsForMs,
  }
}

/** Listens to the collections of this process. */
export function watchHeap(nowMs: () => number): HeapPressure {
  const check = judgeHeap(nowMs)
  const observer = new PerformanceObserver((list) => {
    const full = list.getEntries().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR)
    if (!full) return
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
