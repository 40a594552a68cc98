const isFinal = (state) => state !== 'PENDING'

/** The promise that a step broke, or null. */
export function brokenBy(before, next, maxAttempts) {
  if (next.violation !== null) return next.violation
  const attempts = {}
  const idOf = {}
  for (const one of next.data.deliveries.values()) {
    const { deliveryId, xEventId, state, attemptsMade, endpointId, event } = one
    attempts[xEventId] = (attempts[xEventId] ?? 0) + attemptsMade
    const pair = `${event.eventId} ${next.data.endpoints.get(endpointId).endpoint.lineageId}`
    idOf[pair] ??= xEventId
    if (idOf[pair] !== xEventId) return 'an event has two X-Event-IDs at one lineage'
    const was = before.data.deliveries.get(deliveryId)
    if (attemptsMade > maxAttempts) return 'a delivery had more attempts than allowed'
    if (state === 'FAILED' && attemptsMade !== maxAttempts) return 'a delivery failed before its last attempt'
    if (state === 'DELIVERED' && next.accepted[xEventId] !== true)
      return 'a delivery is DELIVERED, and nobody accepted it'
    if (was !== undefined && isFinal(was.state) && was.state !== state) return 'a delivery left a final state'
    if (was === undefined && one.recovered && isCovered(before, xEventId))
      return 'a recovery delivers what was acknowledged, or waits already'
  }
  for (const [xEventId, posts] of Object.entries(next.posts))
    if (posts > (attempts[xEventId] ?? 0)) return 'an event was posted more often than attempts were opened'
  return null
}

const isCovered = ({ data }, xEventId) =>
  [...data.deliveries.values()].some((one) => one.xEventId === xEventId && ['PENDING', 'DELIVERED'].includes(one.state))

/** Whether a delivery or a recovery waits for something else than the end of a pause. */
export function isWaiting({ data }) {
  const isHeld = ({ endpointId, open }) => open === null && data.endpoints.get(endpointId).endpoint.pausedBy !== null
  const isRunning = [...data.recoveries.values()].some(({ progress }) => progress.state === 'RUNNING')
  return isRunning || [...data.pending.values()].some((one) => !isHeld(one))
}
