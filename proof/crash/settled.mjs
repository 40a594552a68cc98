import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until no recovery runs and no delivery is under way any more. `ask` runs one SELECT on the database. Returns a
 * sentence if the server does not list its deliveries.
 */
export async function untilSettled({ clients: { insist, rest }, ask }, timeoutMs) {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    // Recoveries first: one that runs may still make deliveries. Its next step may be two seconds away.
    const running = await ask(`SELECT recovery_id FROM kyc_relay_recoveries WHERE state = 'RUNNING' LIMIT 1`)
    const { status, json } = await insist(rest('GET', '/deliveries?status=PENDING&limit=1'))
    if (status !== 200) return [`the list of deliveries got ${status}`]
    if (running.length + json.items.length === 0 || performance.now() > deadlineMs) return []
    await sleep(50)
  }
}
