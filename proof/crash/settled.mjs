import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until no delivery is under way any more. Returns a sentence if the server does not list them. */
export async function untilSettled({ insist, rest }, patienceMs) {
  const deadlineMs = performance.now() + patienceMs
  for (;;) {
    const { status, json } = await insist(rest('GET', '/deliveries?status=PENDING&limit=1'))
    if (status !== 200) return [`the list of deliveries got ${status}`]
    if (json.items.length === 0 || performance.now() > deadlineMs) return []
    await sleep(50)
  }
}
