import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTemporaryFolder } from '../folders.mjs'
import { createRandom } from '../random.mjs'
import { startServer, verifyAudit } from '../server-process.mjs'
import { startClients } from './clients.mjs'
import { checkInvariants } from './invariants.mjs'
import { openFiles } from './databases.mjs'
import { startReceiver } from './receiver.mjs'
import { revealAll } from './sealed-values.mjs'
import { sabotages } from './sabotage.mjs'
import { untilSettled } from './settled.mjs'

const killsPerRound = 50
/** Most lives are short: a kill costs a start, and then little more. */
const shareOfShortLives = 0.8
const longestShortLifeMs = 400
const longestLifeMs = 2_500
/** A round ends at this many answers, so that its judgement stays short. */
const answersPerRound = 20_000
const settleDeadlineMs = 120_000
/** A known bug damages rows of earlier answers. On a busy machine the first life may end before there are any. */
const answersBeforeDamage = 300
/** A bug may leave deliveries that never end. */
const settleDeadlineOfControlMs = 10_000

/** One data folder: a server that is killed again and again under load, then a calm end and the judgement. */
function runRound({ seed, sabotage, mayKill }) {
  const play = async (folder) => {
    const random = createRandom(seed, 'kills')
    const dataDir = path.join(folder, 'data')
    const start = () => startServer({ dataDir, preload: sabotage?.preload ?? null })
    let server = start()
    let demo = await server.started
    if (demo === null) throw new Error(`the server did not start: ${server.output()}`)
    let next = Promise.resolve(demo)
    const killedAtMs = []
    const servedAtMs = []
    const receiver = await startReceiver(demo, demo.apps[0].apiKey)
    let over = false
    const clients = startClients({ seed, demo, receiver, pickServer: () => next, until: () => over })
    const kills = { serving: 0, starting: 0 }
    const violations = []
    let failure = null
    clients.finished.catch((error) => (failure = error))

    const isFull = () => kills.serving + kills.starting >= killsPerRound || clients.ledger.answers >= answersPerRound
    while (failure === null && !isFull() && mayKill(kills)) {
      await sleep(random.whole(random.chance(shareOfShortLives) ? longestShortLifeMs : longestLifeMs))
      while (failure === null && sabotage !== undefined && clients.ledger.answers < answersBeforeDamage) await sleep(20)
      let serve
      next = new Promise((resolve) => (serve = resolve))
      killedAtMs.push(Date.now())
      const { signal } = await server.end('SIGKILL')
      if (signal !== 'SIGKILL') violations.push(`the server ended by itself: ${server.output().slice(-500)}`)
      kills.serving += 1
      if (sabotage?.forgetCommits) openFiles(dataDir).forgetCommits()
      if (sabotage?.damage !== undefined) openFiles(dataDir).run(sabotage.damage)
      server = start()
      // Some kills meet the start itself.
      while (random.chance(0.15)) {
        await Promise.race([server.started, sleep(random.whole(1_000))])
        killedAtMs.push(Date.now())
        await server.end('SIGKILL')
        kills.starting += 1
        server = start()
      }
      demo = await server.started
      if (demo === null) {
        violations.push(`the server does not start after a kill: ${server.output().slice(-500)}`)
        break
      }
      servedAtMs.push(Date.now())
      serve(demo)
    }
    over = true
    if (demo === null) {
      clients.close()
      await receiver.close()
      return { kills, violations, clients, receiver, takeOvers: [] }
    }
    await clients.finished.catch((error) => violations.push(`a client gave up: ${error.message}`))
    violations.push(...clients.violations, ...receiver.violations)
    violations.push(...(await revealAll({ clients, ask: openFiles(dataDir).ask })))
    const timeoutMs = sabotage === undefined ? settleDeadlineMs : settleDeadlineOfControlMs
    violations.push(...(await untilSettled({ clients, ask: openFiles(dataDir).ask }, timeoutMs)))
    const { code } = await server.end('SIGTERM')
    if (code !== 0) violations.push(`the server left with ${code} when asked to stop`)
    clients.close()
    await receiver.close()
    const files = openFiles(dataDir)
    violations.push(...files.integrity())
    violations.push(...(await checkInvariants({ ...files, ledger: clients.ledger, receiver })))
    if ((await verifyAudit({ dataDir })) !== 0) violations.push('audit verify does not accept the logs')
    const takeOvers = await takeOverTimes(files, { killedAtMs, servedAtMs })
    return { kills, violations, clients, receiver, takeOvers }
  }
  return inTemporaryFolder(play, { inMemory: true })
}

/**
 * For each attempt that a kill cut off, milliseconds until the next process had closed it: from the kill, and from the
 * moment at which that process served. The difference is its start.
 */
async function takeOverTimes({ ask }, { killedAtMs, servedAtMs }) {
  const rows = await ask(`SELECT ended_at FROM kyc_relay_attempts WHERE state = 'INTERRUPTED'`)
  return rows.map(({ ended_at: endedAt }) => {
    const killedAt = killedAtMs.findLast((at) => at <= endedAt)
    const servedAt = servedAtMs.find((at) => at >= killedAt)
    return { afterKill: endedAt - killedAt, afterStart: Math.max(0, endedAt - servedAt) }
  })
}

export const crash = {
  unit: 'kills',
  seconds: 120,
  promises: [
    'An acknowledged submission is stored once, as it was answered, after any kill of the process.',
    'An acknowledged event is delivered at least once to each endpoint it was owed to, with at most five attempts for each delivery.',
  ],
  notTested:
    'A loss of power, which the campaign `power` tests. Kills of the machine that runs the clients and receivers.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 6 },
  smoke: { size: { count: 1 } },
  async run({ budget, seed, control, log }) {
    const sizes = {
      kills: 0,
      'kills while starting': 0,
      rounds: 0,
      answers: 0,
      'repeated requests': 0,
      submissions: 0,
      events: 0,
      posts: 0,
    }
    const violations = []
    const takeOvers = []
    while (!budget.isSpent(sizes.kills) && violations.length === 0) {
      const mayKill = ({ serving, starting }) => !budget.isSpent(sizes.kills + serving + starting)
      const roundSeed = seed + sizes.rounds
      const {
        kills,
        clients,
        receiver,
        takeOvers: ofRound,
        ...round
      } = await runRound({ seed: roundSeed, sabotage: sabotages[control], mayKill })
      violations.push(...round.violations.map((one) => `${one} (--seed ${roundSeed})`))
      takeOvers.push(...ofRound)
      const { ledger } = clients
      sizes.rounds += 1
      sizes.kills += kills.serving + kills.starting
      sizes['kills while starting'] += kills.starting
      sizes.answers += ledger.answers
      sizes['repeated requests'] += ledger.repeats
      sizes.submissions += ledger.submissions.size
      sizes.events += ledger.events.size + ledger.transactions.size
      for (const { posts } of receiver.ledger.values()) sizes.posts += posts
      log(
        `${sizes.kills} kills, ${sizes.submissions} submissions, ${sizes.events} events, ${violations.length} violations`,
      )
    }
    const longest = (name) => takeOvers.reduce((most, one) => Math.max(most, Math.round(one[name])), 0)
    return {
      sizes: {
        ...sizes,
        takeovers: takeOvers.length,
        'ms from a kill to its takeover at the longest': longest('afterKill'),
        'ms from the end of the next start to its takeover at the longest': longest('afterStart'),
      },
      violations,
    }
  },
}
