// A contender of a comparison of deliveries, in a process of its own: the code and the garbage of one do not slow down
// another.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts a program that calls `takeQueues`, and waits until it is ready. */
export async function startContender(program, args = []) {
  const child = fork(program, args)
  await answerOf(child)
  return {
    /** Delivers a queue of this length. Resolves to its pace, and to its processor time for each delivery. */
    deliver(count) {
      child.send(count)
      return answerOf(child)
    },
    async stop() {
      if (child.connected) child.disconnect()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

function answerOf(child) {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('a contender ended early'))
    child.once('exit', fail)
    child.once('message', (answer) => {
      child.off('exit', fail)
      resolve(answer)
    })
  })
}

/**
 * Says that this process is ready. Then each message is the length of a queue: `fill` makes it, and `drain` delivers it,
 * which is measured. Every delivery has to arrive at the sink. It ends when its parent disconnects, or has died.
 */
export function takeQueues({ sink, fill, drain, close }) {
  const received = async () => Number(await (await fetch(`${sink.url}/count`)).text())

  async function deliver(count) {
    const before = await received()
    await fill(count)
    const usedBefore = process.cpuUsage()
    const startedAt = performance.now()
    await drain(count)
    const seconds = (performance.now() - startedAt) / 1_000
    const { user, system } = process.cpuUsage(usedBefore)
    assert.equal((await received()) - before, count)
    return { perSecond: count / seconds, cpuUs: (user + system) / count }
  }

  process.on('message', async (count) => process.send(await deliver(count)))
  process.once('disconnect', async () => {
    await close()
    sink.stop()
  })
  process.send('ready')
}
