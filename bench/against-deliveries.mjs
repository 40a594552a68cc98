// Delivers with the packages of this checkout and with those of an earlier one, for `against.mjs`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./delivery-turns.mjs', import.meta.url))
const warmUp = 6_000
const deliveries = 3_000
/** A queue takes a second, and what else the machine does can slow one by a third: a round is the sum of several. */
const turns = 4

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
 * Both workers run all the time, each on a database of its own, and get their queues in turn: the pair of paces of each
 * round. The earlier one may seal no bodies, so its bodies are clear.
 */
export async function deliveryPairs(folders, rounds, { engine, isSealed }) {
  const start = (which, bodies) => ({ which, child: fork(program, [folders[which], engine, bodies]) })
  const workers = [start('before', 'clear'), start('now', isSealed ? 'sealed' : 'clear')]
  try {
    await Promise.all(workers.map(({ child }) => answerOf(child)))
    for (const { child } of workers) await pace(child, warmUp)
    const pairs = []
    for (let round = 0; round < rounds; round += 1) {
      const tookMs = { now: 0, before: 0 }
      for (let turn = 0; turn < turns; turn += 1) {
        workers.reverse()
        for (const { which, child } of workers) tookMs[which] += (deliveries * 1_000) / (await pace(child, deliveries))
      }
      const paceOf = (which) => (turns * deliveries * 1_000) / tookMs[which]
      pairs.push({ now: paceOf('now'), before: paceOf('before') })
    }
    return pairs
  } finally {
    for (const { child } of workers) if (child.connected) child.send(0)
    await Promise.all(workers.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
  }
}
