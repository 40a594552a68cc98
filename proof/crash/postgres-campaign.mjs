import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTemporaryFolder } from '../folders.mjs'
import { createRandom } from '../random.mjs'
import { startServer, verifyAudit } from '../server-process.mjs'
import { startClients } from './clients.mjs'
import { checkInvariants } from './invariants.mjs'
import { postgresQueries, startDatabase } from './postgres.mjs'
import { sabotages } from './postgres-sabotage.mjs'
import { startReceiver } from './receiver.mjs'
import { revealAll } from './sealed-values.mjs'
import { untilSettled } from './settled.mjs'

const processesOfRound = 3
const processesOfSmoke = 2
const faultsPerRound = 30
const longestPauseMs = 1_500
/** Longer than a lease (45 s) and the time between two searches for ended leases (5 s). */
const pastTheLeaseMs = 52_000
/** A quick machine makes thousands of deliveries, and the slow receiver takes 13 of them a second. */
const settleDeadlineMs = 600_000
/** A bug may leave deliveries that never end. */
const settleDeadlineOfControlMs = 15_000
const weights = { kill: 8, sessions: 6, shutdown: 2, promotion: 1, stop: 1 }

/**
 * One database and its processes that are broken again and again under load, then a calm end and the judgement. Without
 * `waitsForLeases` a lease ends by a statement instead of by time.
 */
async function runRound({ seed, sabotage, mayBreak, waitsForLeases, processes }) {
  return inTemporaryFolder(async (folder) => {
    const random = createRandom(seed, 'faults')
    const dataDir = path.join(folder, 'data')
    const database = await startDatabase()
    const variables = { DATABASE_URL: database.url }
    const counts = { kill: 0, sessions: 0, shutdown: 0, promotion: 0, stop: 0 }
    const violations = []
    const endLeases = () =>
      database.run([
        `UPDATE kyc_relay_delivery_queue SET lease_until = now() - interval '1 s' WHERE lease_until IS NOT NULL`,
      ])
    /** Each process with its addresses; `demo` is null while it does not serve. */
    const members = []

    async function start(member) {
      member.server = startServer({ dataDir, variables })
      member.demo = await member.server.started
      if (member.demo === null) violations.push(`a server does not start: ${member.server.output().slice(-500)}`)
    }
    // The first one alone makes keys, certificates and the demo; the others find them.
    for (let number = 0; number < processes; number += 1) {
      members.push({ server: null, demo: null, isStopped: false })
      await start(members[number])
    }
    if (violations.length > 0) throw new Error(violations[0])
    for (const statement of sabotage?.configure ?? []) await database.ask(statement)
    const choices = createRandom(seed, 'servers')
    async function pickServer() {
      for (;;) {
        const serving = members.filter(({ demo, isStopped }) => demo !== null && !isStopped)
        if (serving.length > 0) return choices.pick(serving).demo
        await sleep(20)
      }
    }
    const [{ demo }] = members
    const receiver = await startReceiver(demo, demo.apps[0].apiKey)
    let over = false
    const clients = startClients({ seed, demo, receiver, pickServer, until: () => over, timeoutMs: 10_000 })
    let failure = null
    clients.finished.catch((error) => (failure = error))
    let stopped = Promise.resolve()

    const faults = {
      async kill() {
        const member = random.pick(members.filter(({ isStopped }) => !isStopped))
        member.demo = null
        const { signal } = await member.server.end('SIGKILL')
        if (signal !== 'SIGKILL') violations.push(`a server ended by itself: ${member.server.output().slice(-500)}`)
        if (sabotage?.damage !== undefined) await database.run(sabotage.damage)
        await sleep(random.whole(longestPauseMs))
        await start(member)
      },
      sessions: () => database.endSessions(() => random.chance(0.5)),
      async shutdown() {
        await database.crash()
        await sleep(random.whole(500))
        await database.start()
      },
      promotion: () => database.promote(),
      /** The process sleeps until others have taken over what it had in flight, and wakes up then. */
      async stop() {
        const member = random.pick(members)
        member.isStopped = true
        member.server.child.kill('SIGSTOP')
        if (!waitsForLeases) await endLeases()
        stopped = sleep(waitsForLeases ? pastTheLeaseMs : 6_000).then(() => {
          member.server.child.kill('SIGCONT')
          member.isStopped = false
        })
      },
    }
    const isOver = () => violations.length > 0 || failure !== null
    while (!isOver() && Object.values(counts).reduce((sum, one) => sum + one) < faultsPerRound && mayBreak(counts)) {
      await sleep(random.whole(longestPauseMs))
      const drawn = sabotage === undefined ? random.weighted(weights) : random.pick(sabotage.faults)
      const isImpossible =
        (drawn === 'stop' && members.some(({ isStopped }) => isStopped)) ||
        (drawn === 'promotion' && database.isPromoted())
      const name = isImpossible ? 'kill' : drawn
      counts[name] += 1
      await faults[name]()
    }
    await stopped
    over = true
    if (!waitsForLeases && !isOver()) await endLeases()
    await clients.finished.catch((error) => violations.push(`a client gave up: ${error.message}`))
    violations.push(...clients.violations, ...receiver.violations)
    if (failure === null) {
      violations.push(...(await revealAll({ clients, ask: database.ask })))
      await clients.resumeAll()
      const timeoutMs = sabotage === undefined ? settleDeadlineMs : settleDeadlineOfControlMs
      violations.push(...(await untilSettled({ clients, ask: database.ask }, timeoutMs)))
    }
    for (const { server } of members) {
      const { code } = await server.end('SIGTERM')
      if (code !== 0) violations.push(`a server left with ${code} when asked to stop`)
    }
    clients.close()
    await receiver.close()
    const places = { ...database, queries: postgresQueries }
    violations.push(...(await checkInvariants({ ...places, ledger: clients.ledger, receiver })))
    if ((await verifyAudit({ dataDir, variables })) !== 0) violations.push('audit verify does not accept the logs')
    const interrupted = await database.ask(
      `SELECT started_at, ended_at FROM kyc_relay_attempts WHERE state = 'INTERRUPTED'`,
    )
    await database.stop()
    const takeOverMs = interrupted.map(({ started_at: from, ended_at: to }) => to.getTime() - from.getTime())
    return { counts, violations, ledger: clients.ledger, receiver, takeOverMs }
  })
}

export const crashPostgres = {
  unit: 'faults',
  seconds: 300,
  promises: [
    'With three processes on one PostgreSQL, an acknowledged submission or event is stored once, as it was answered, whatever of them fails.',
    'Another process takes over the deliveries of one that is dead or stopped. No delivery has more than five attempts.',
  ],
  notTested:
    'A second promotion, and a standby that is not synchronous. A loss of power. The mode for distributed tables.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 6 },
  smoke: { size: { count: 1 } },
  async run({ budget, seed, control, isSmoke = false, log }) {
    const sizes = { faults: 0, kills: 0, 'times half of the sessions ended': 0, 'immediate shutdowns': 0 }
    Object.assign(sizes, {
      'promotions of a standby': 0,
      'processes stopped past the lease': 0,
      rounds: 0,
      answers: 0,
      'repeated requests': 0,
    })
    Object.assign(sizes, { submissions: 0, events: 0, posts: 0, takeovers: 0 })
    const violations = []
    let longestMs = 0
    while (!budget.isSpent(sizes.faults) && violations.length === 0) {
      const mayBreak = (counts) => !budget.isSpent(sizes.faults + Object.values(counts).reduce((sum, one) => sum + one))
      const waitsForLeases = control === null && !isSmoke
      const roundSeed = seed + sizes.rounds
      const round = await runRound({
        seed: roundSeed,
        sabotage: sabotages[control],
        mayBreak,
        waitsForLeases,
        processes: isSmoke ? processesOfSmoke : processesOfRound,
      })
      violations.push(...round.violations.map((one) => `${one} (--seed ${roundSeed})`))
      const { counts, ledger } = round
      sizes.faults += Object.values(counts).reduce((sum, one) => sum + one)
      sizes.kills += counts.kill
      sizes['times half of the sessions ended'] += counts.sessions
      sizes['immediate shutdowns'] += counts.shutdown
      sizes['promotions of a standby'] += counts.promotion
      sizes['processes stopped past the lease'] += counts.stop
      sizes.rounds += 1
      sizes.answers += ledger.answers
      sizes['repeated requests'] += ledger.repeats
      sizes.submissions += ledger.submissions.size
      sizes.events += ledger.events.size + ledger.transactions.size
      for (const { posts } of round.receiver.ledger.values()) sizes.posts += posts
      sizes.takeovers += round.takeOverMs.length
      longestMs = Math.max(longestMs, ...round.takeOverMs)
      log(
        `${sizes.faults} faults, ${sizes.submissions} submissions, ${sizes.events} events, ${violations.length} violations`,
      )
    }
    return {
      sizes: { ...sizes, 'ms from the start of an attempt to its takeover at the longest': longestMs },
      violations,
    }
  },
}
