import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until no delivery is under way any more. */
export async function untilSettled({ insist, rest }, patienceMs) {
  const deadlineMs = performance.now() + patienceMs
  for (;;) {
    const { json } = await insist(rest('GET', '/deliveries?status=PENDING&limit=1'))
    if (json.items.length === 0 || performance.now() > deadlineMs) return
    await sleep(50)
  }
}
