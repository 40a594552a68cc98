const isFinal = (state) => state !== 'PENDING'

/** The promise that a step broke, or null. */
export function brokenBy(before, next, maxAttempts) {
  if (next.violation !== null) return next.violation
  const attempts = {}
  for (const { deliveryId, xEventId, state, attemptsMade } of next.data.deliveries.values()) {
    attempts[xEventId] = (attempts[xEventId] ?? 0) + attemptsMade
    const was = before.data.deliveries.get(deliveryId)
    if (attemptsMade > maxAttempts) return 'a delivery had more attempts than allowed'
    if (state === 'FAILED' && attemptsMade !== maxAttempts) return 'a delivery failed before its last attempt'
    if (state === 'DELIVERED' && next.accepted[xEventId] !== true)
      return 'a delivery is DELIVERED, and nobody accepted it'
    if (was !== undefined && isFinal(was.state) && was.state !== state) return 'a delivery left a final state'
  }
  for (const [xEventId, posts] of Object.entries(next.posts))
    if (posts > (attempts[xEventId] ?? 0)) return 'an event was posted more often than attempts were opened'
  return null
}

/** Whether nothing can happen any more although a delivery waits. A pause may hold it. */
export function isStuck(state, actions) {
  const names = Object.keys(actions).filter((name) => !/^(a is|the )/.test(name))
  const mayMove = names.some((name) => name === 'time passes') || state.workers.some((held) => held !== null)
  if (mayMove) return false
  return [...state.data.deliveries.values()].some(
    (one) =>
      !isFinal(one.state) &&
      (one.open !== null || state.data.endpoints.get(one.endpointId).endpoint.pausedBy === null) &&
      !(one.open === null && one.dueAtMs <= state.nowMs) &&
      !(one.open !== null && actions['worker 0 takes over'] !== undefined),
  )
}
