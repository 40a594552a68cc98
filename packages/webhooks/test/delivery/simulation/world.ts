import type { ClaimedDelivery, DeliveryState, Fence, WebhookStore } from '../../../src/delivery/webhook-store.js'
import type { MemoryWebhookData } from '../../../src/testing/memory-webhook-data.js'
import type { VirtualTime } from '../virtual-time.js'

/** One POST as the endpoint saw it. */
export interface Post {
  readonly xEventId: string
  readonly endpoint: string
  readonly signature: string
  readonly atMs: number
  answeredStatus: number | null
}

export type Behaviour = 'healthy' | 'flaky' | 'failing' | 'hanging' | 'slow' | 'resetting'

/** URL of the endpoint number `index` that behaves like this. */
export const urlOf = (behaviour: Behaviour, index: number) => `https://${behaviour}-${index}.example.com/`

/** How the endpoint of a URL of {@link urlOf} behaves. */
export const behaviourOf = (url: string) => new URL(url).hostname.split('-')[0] as Behaviour

/** Deliberate mistakes, each of which the invariants must notice. */
export type Sabotage =
  | 'interrupted-not-counted'
  | 'believes-timeouts'
  | 'retries-at-once'
  | 'gives-up-early'
  | 'never-takes-over'
  | 'sixth-attempt'
  | 'no-fence'
  | 'ignores-pauses'
  | 'ignores-cancellation'

/** What processes, endpoints and operators share. */
export interface World {
  readonly time: VirtualTime
  readonly data: MemoryWebhookData
  readonly store: Required<WebhookStore>
  readonly random: () => number
  readonly chance: (probability: number) => boolean
  readonly between: (low: number, high: number) => number
  readonly sabotage: Sabotage | undefined
  /** Share of the awaits at which a process dies. */
  readonly crashShare: number
  readonly posts: Post[]
  readonly violations: string[]
  readonly revoked: Set<string>
  readonly claims: Claims
  /** Awaits, timers and posts. */
  steps: number
  crashes: number
  /** Results that came too late. */
  stale: number
  keysDown: boolean
  resolverDown: boolean
  isOver: boolean
}

/** Judges every claim by what was claimed, ended, paused, replaced and cancelled before. */
export class Claims {
  readonly paused = new Set<string>()
  readonly removed = new Set<string>()
  /** Deliveries whose user's deliveries were cancelled. */
  readonly cancelled = new Set<string>()
  readonly #newest = new Map<string, string>()
  readonly #final = new Map<string, DeliveryState>()

  constructor(
    private readonly data: MemoryWebhookData,
    private readonly violations: string[],
  ) {}

  isNewest({ deliveryId, token }: Fence): boolean {
    return this.#newest.get(deliveryId) === token
  }

  sawDue(claimed: readonly ClaimedDelivery[]): void {
    for (const { deliveryId, endpoint } of claimed) {
      if (this.paused.has(endpoint.endpointId)) this.violations.push('I12 a paused endpoint was claimed')
      if (this.removed.has(endpoint.endpointId)) this.violations.push('I13 a removed endpoint was claimed')
      if (this.cancelled.has(deliveryId)) this.violations.push('I14 a cancelled delivery was claimed')
    }
    this.sawExpired(claimed)
  }

  sawExpired(claimed: readonly ClaimedDelivery[]): void {
    for (const { deliveryId, fence } of claimed) {
      if (fence.attempt > 5) this.violations.push('I6 a sixth attempt was claimed')
      if (this.#final.has(deliveryId)) this.violations.push('I9 a final delivery was claimed')
      this.#newest.set(deliveryId, fence.token)
    }
  }

  /** Nothing leaves a final state. */
  checkFinal(): void {
    for (const { deliveryId, state } of this.data.deliveries.values()) {
      const before = this.#final.get(deliveryId)
      if (before !== undefined && before !== state) this.violations.push(`I9 left ${before}`)
      if (state !== 'PENDING') this.#final.set(deliveryId, state)
    }
  }
}
