import { isDeepStrictEqual } from 'node:util'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { FeedStore, RecoveryStore, TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { uuid } from '../samples.js'

/** Whom the commands are about. */
export const apps = [uuid('app 0'), uuid('app 1')]
export const users = [uuid('user 0'), uuid('user 1'), uuid('user 2')]

export interface Stores {
  readonly webhooks: WebhookStore
  readonly recoveries: RecoveryStore
  readonly transactions: TransactionStore
  readonly feed: FeedStore
  readonly verifications: VerificationStore
}

/** A store under test, empty each time it is opened. */
export interface Side {
  readonly name: string
  open(clock: () => Date): Promise<Stores & { close?(): Promise<void> }>
}

/** Fence tokens are random by design, and bytes and instants compare by what they hold. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => {
      if (key === 'token') return 'token'
      return ArrayBuffer.isView(item)
        ? Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString('hex')
        : item
    }),
  )
}

function assertSame(actual: unknown, expected: unknown, what: string): void {
  const [found, right] = [comparable(actual), comparable(expected)]
  if (isDeepStrictEqual(found, right)) return
  throw new Error(`${what} differs: ${JSON.stringify(found)}, the model says ${JSON.stringify(right)}`)
}

/** A side that was opened. */
export interface Opened {
  readonly name: string
  readonly stores: Awaited<ReturnType<Side['open']>>
}

/** Compares the answers of several sides. An error names the side and what was done. */
export function createComparison(opened: readonly Opened[]) {
  let done = 'nothing'

  /** Compares what `told` says of the answer of each side. */
  async function compare<T>(
    inModel: unknown,
    ask: (stores: Stores, index: number) => Promise<T>,
    told: (answer: T) => unknown = (answer) => answer,
  ): Promise<readonly T[]> {
    const answers = await Promise.all(opened.map(({ stores }, index) => ask(stores, index)))
    for (const [index, { name }] of opened.entries()) assertSame(told(answers[index] as T), inModel, `${name}: ${done}`)
    return answers
  }

  /** Compares the sides with each other, in what the model does not have. */
  async function compareSides(ask: (stores: Stores) => Promise<unknown>): Promise<void> {
    const answers = await Promise.all(opened.map(({ stores }) => ask(stores)))
    for (const [index, { name }] of opened.entries()) assertSame(answers[index], answers[0], `${name}: ${done}`)
  }

  return { compare, compareSides, doing: (what: string) => void (done = what) }
}

export type Comparison = ReturnType<typeof createComparison>
