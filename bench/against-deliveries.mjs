// Delivers with the packages of this checkout and with those of an earlier one, for `against.mjs`.
import { startContender } from './contender.mjs'
import { users } from './sealed-bodies.mjs'

const program = new URL('./delivery-turns.mjs', import.meta.url)
const warmUp = 6_000
/** As many as there are users, so that each turn needs all their keys. */
const deliveries = users.length
const turns = 3

/**
 * Both workers run at the same time, each on a database of its own, and get their queues in turn, since a machine may be
 * half as fast a minute later. They are started again for each round: a process can be slow for as long as it runs. The
 * earlier one may seal no bodies, so its bodies are clear.
 *
 * Returns the pair of paces of each round, by the sum of its times.
 */
export async function deliveryPairs(folders, rounds, row) {
  const pairs = []
  for (let round = 0; round < rounds; round += 1) pairs.push(await deliveryPair(folders, row, round % 2 === 1))
  return pairs
}

async function deliveryPair(folders, { engine, isSealed }, isNowFirst) {
  const bodies = { before: 'clear', now: isSealed ? 'sealed' : 'clear' }
  const order = isNowFirst ? ['now', 'before'] : ['before', 'now']
  const started = await Promise.allSettled(
    order.map(async (which) => {
      const args = [folders[which], engine, bodies[which]]
      return { which, contender: await startContender(program, args) }
    }),
  )
  const workers = started.flatMap(({ value }) => value ?? [])
  try {
    if (workers.length < started.length) throw new Error('a worker did not start')
    for (const { contender } of workers) await contender.deliver(warmUp)
    const seconds = { now: 0, before: 0 }
    for (let turn = 0; turn < turns; turn += 1) {
      workers.reverse()
      for (const { which, contender } of workers)
        seconds[which] += deliveries / (await contender.deliver(deliveries)).perSecond
    }
    return { now: (turns * deliveries) / seconds.now, before: (turns * deliveries) / seconds.before }
  } finally {
    await Promise.all(workers.map(({ contender }) => contender.stop()))
  }
}
