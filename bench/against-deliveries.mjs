// Delivers with the packages of this checkout and with those of an earlier one, for `against.mjs`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { users } from './sealed-bodies.mjs'

const program = fileURLToPath(new URL('./delivery-turns.mjs', import.meta.url))
const warmUp = 6_000
/** As many as there are users, so that each turn needs all their keys. */
const deliveries = users.length
const turns = 3

function answerOf(child) {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('a worker ended early'))
    child.once('exit', fail)
    child.once('message', (answer) => {
      child.off('exit', fail)
      resolve(answer)
    })
  })
}

function pace(child, count) {
  child.send(count)
  return answerOf(child)
}

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
  const start = (which, bodies) => ({ which, child: fork(program, [folders[which], engine, bodies]) })
  const workers = [start('before', 'clear'), start('now', isSealed ? 'sealed' : 'clear')]
  if (isNowFirst) workers.reverse()
  try {
    await Promise.all(workers.map(({ child }) => answerOf(child)))
    for (const { child } of workers) await pace(child, warmUp)
    const seconds = { now: 0, before: 0 }
    for (let turn = 0; turn < turns; turn += 1) {
      workers.reverse()
      for (const { which, child } of workers) seconds[which] += deliveries / (await pace(child, deliveries))
    }
    return { now: (turns * deliveries) / seconds.now, before: (turns * deliveries) / seconds.before }
  } finally {
    for (const { child } of workers) if (child.connected) child.send(0)
    await Promise.all(workers.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
  }
}
