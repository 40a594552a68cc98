/** How each broken promise is reported. Each has a control that breaks it. */
export const violations = {
  staleResult: 'a stale result was applied',
  claimedWhilePaused: 'a delivery of a paused endpoint was claimed',
  secondId: 'an event has two X-Event-IDs at one lineage',
  tooManyAttempts: 'a delivery had more attempts than allowed',
  failedEarly: 'a delivery failed before its last attempt',
  notAccepted: 'a delivery is DELIVERED, and nobody accepted it',
  leftFinalState: 'a delivery left a final state',
  recoveredAgain: 'a recovery delivers what was acknowledged, or waits already',
  postedUncounted: 'an event was posted more often than attempts were opened',
  stuckDelivery: 'a delivery is stuck',
  stuckRecovery: 'a recovery is stuck',
}

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
    if (idOf[pair] !== xEventId) return violations.secondId
    const was = before.data.deliveries.get(deliveryId)
    if (attemptsMade > maxAttempts) return violations.tooManyAttempts
    if (state === 'FAILED' && attemptsMade !== maxAttempts) return violations.failedEarly
    if (state === 'DELIVERED' && next.accepted[xEventId] !== true) return violations.notAccepted
    if (was !== undefined && isFinal(was.state) && was.state !== state) return violations.leftFinalState
    if (was === undefined && one.recovered && isCovered(before, xEventId)) return violations.recoveredAgain
  }
  for (const [xEventId, posts] of Object.entries(next.posts))
    if (posts > (attempts[xEventId] ?? 0)) return violations.postedUncounted
  return null
}

const isCovered = ({ data }, xEventId) =>
  [...data.deliveries.values()].some((one) => one.xEventId === xEventId && ['PENDING', 'DELIVERED'].includes(one.state))

/** The promise that a state breaks in which nothing moves by itself, or null. Only the end of a pause may be awaited. */
export function brokenByRest({ data }) {
  const isHeld = ({ endpointId, open }) => open === null && data.endpoints.get(endpointId).endpoint.pausedBy !== null
  if ([...data.pending.values()].some((one) => !isHeld(one))) return violations.stuckDelivery
  const isRunning = [...data.recoveries.values()].some(({ progress }) => progress.state === 'RUNNING')
  return isRunning ? violations.stuckRecovery : null
}
