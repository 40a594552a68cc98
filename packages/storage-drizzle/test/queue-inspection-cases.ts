import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import { expect } from 'vitest'
import type { QueueInspection } from '../src/queue-inspection.js'
import { claimRequest, endpoint, event } from './samples.js'

/** What an engine opens for one case: its stores on empty data, and its clock. */
export interface OpenedForInspection {
  readonly queue: QueueInspection
  readonly webhooks: WebhookStore
  advance(ms: number): Promise<void> | void
}

const hook = endpoint('a')

/** What a `QueueInspection` must do, for every engine. */
export const queueInspectionCases: readonly {
  readonly name: string
  run(opened: OpenedForInspection): Promise<void>
}[] = [
  {
    name: 'sees an empty queue',
    async run({ queue }) {
      expect(await queue.inspectQueue()).toEqual({ waiting: 0, inFlight: 0, oldestDueMs: 0 })
    },
  },
  {
    name: 'counts what waits and what is under way, and tells how long the oldest is due',
    async run({ queue, webhooks, advance }) {
      await webhooks.registerEndpoint(hook, 50)
      await webhooks.insertEvent(event('one', [hook]))
      await advance(7_000)
      await webhooks.insertEvent(event('two', [hook]))
      await webhooks.insertEvent(event('three', [hook]))
      expect(await queue.inspectQueue()).toEqual({ waiting: 3, inFlight: 0, oldestDueMs: 7_000 })
      await webhooks.claimDue({ ...claimRequest, limit: 1, keepForHealthy: 0 })
      await advance(1_000)
      expect(await queue.inspectQueue()).toEqual({ waiting: 2, inFlight: 1, oldestDueMs: 1_000 })
    },
  },
]
