import type { WebhooksOptions, WebhooksProblem, InsertedNowOrLater } from './webhooks-options.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Ids that a receiver forgets: a partner can resend an event weeks later. */
const forgottenAfterMs = 30 * dayMs
const forgottenAtOnce = 1_000

/** Removes old data at the start and then once an hour. */
export interface Maintenance {
  start(): void
  /** Resolves when the current step has ended. */
  stop(): Promise<void>
}

export function createMaintenance<Transaction, Inserted extends InsertedNowOrLater>(
  {
    storage,
    retention,
    deduplicate,
  }: Pick<WebhooksOptions<Transaction, Inserted>, 'storage' | 'retention' | 'deduplicate'>,
  schedule: (callback: () => void, delayMs: number) => () => void,
  tell: (problem: WebhooksProblem, error: unknown) => void,
): Maintenance {
  let stopping = false
  let cancel = () => {}
  let running = Promise.resolve()

  async function removeOld(): Promise<void> {
    if (retention === false || storage.retention === undefined) return
    while (!stopping && (await storage.retention.removeOld(retention)).more);
  }

  async function forget(): Promise<void> {
    if (deduplicate === undefined) return
    const request = { olderThanMs: forgottenAfterMs, limit: forgottenAtOnce }
    while (!stopping && (await deduplicate.forget(request)) >= forgottenAtOnce);
  }

  async function runOnce(): Promise<void> {
    await removeOld().catch((error: unknown) => tell('RETENTION_FAILED', error))
    await forget().catch((error: unknown) => tell('FORGET_FAILED', error))
    if (!stopping) cancel = schedule(run, hourMs)
  }

  function run(): void {
    running = runOnce()
  }

  return {
    start() {
      stopping = false
      run()
    },
    async stop() {
      stopping = true
      cancel()
      await running
    },
  }
}
