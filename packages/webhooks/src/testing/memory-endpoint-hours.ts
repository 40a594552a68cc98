import type { AttemptResult, EndpointHour } from '../delivery/webhook-store.js'
import type { MemoryWebhookData } from './memory-webhook-data.js'

const hourMs = 3_600_000

/** Counts an attempt that ended now. */
export function countAttempt(
  data: MemoryWebhookData,
  endpointId: string,
  { fence, attempt, next }: AttemptResult,
  nowMs: number,
): void {
  if (attempt.state === 'UNSENT') return
  const cause = attempt.state === 'SUCCEEDED' ? null : (attempt.report.cause ?? 'INTERNAL_ERROR')
  const hour = new Date(Math.floor(nowMs / hourMs) * hourMs)
  const key = `${endpointId} ${hour.getTime()} ${cause}`
  const before = data.hours.get(key)
  data.hours.set(key, {
    appId: fence.appId,
    endpointId,
    hour,
    cause,
    attempts: (before?.attempts ?? 0) + 1,
    firstAttempts: (before?.firstAttempts ?? 0) + Number(fence.attempt === 1),
    failedDeliveries: (before?.failedDeliveries ?? 0) + Number(next.state === 'FAILED'),
  })
}

/** Lists the counts of an app from the hour of `since` on. */
export function listHours(data: MemoryWebhookData, appId: string, since: Date): readonly EndpointHour[] {
  const from = Math.floor(since.getTime() / hourMs) * hourMs
  return [...data.hours.values()]
    .filter((one) => one.appId === appId && one.hour.getTime() >= from)
    .map(({ appId: _appId, ...one }) => one)
}
