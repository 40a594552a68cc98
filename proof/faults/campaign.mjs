import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startClients } from '../crash/clients.mjs'
import { openFiles } from '../crash/databases.mjs'
import { checkInvariants } from '../crash/invariants.mjs'
import { startReceiver } from '../crash/receiver.mjs'
import { revealAll } from '../crash/sealed-values.mjs'
import { untilSettled } from '../crash/settled.mjs'
import { inTemporaryFolder } from '../folders.mjs'
import { canCutPower } from '../power/campaign.mjs'
import { createRandom } from '../random.mjs'
import { startServer, verifyAudit } from '../server-process.mjs'
import { faults } from './faults.mjs'

const beforeMs = 800
const duringMs = 2_000
/** A server that must end looks at its files every second. A busy machine takes longer. */
const mustEndWithinMs = 30_000
const settleDeadlineMs = 120_000
const settleDeadlineOfControlMs = 5_000

const sabotages = {
  'drops-writes': {
    what: 'writes that the disk refuses are reported as done',
    breaks: /is lost|is damaged|does not start/,
    fault: 'drops writes',
  },
  'opens-damaged-files': {
    what: 'the files are not read before they are used',
    breaks: /with a damaged page the server started/,
    fault: 'damaged page',
    variables: { SQLITE_CHECK_UP_TO_MB: '0' },
  },
}

function compileLibrary(folder) {
  const library = path.join(folder, 'faults.so')
  const source = fileURLToPath(new URL('./faults.c', import.meta.url))
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  if (status !== 0) throw new Error(`the faults were not compiled: ${stderr}`)
  return library
}

/** A server under load, one fault, its end, and the judgement after a start without the fault. */
async function runRound({ name, seed, sabotage }) {
  return inTemporaryFolder(async (folder) => {
    const random = createRandom(seed, name)
    const dataDir = path.join(folder, 'data')
    const plan = path.join(folder, 'plan')
    const fault = faults[name]
    const preload = { LD_PRELOAD: compileLibrary(folder), FAULT_ROOT: dataDir, FAULT_PLAN: plan }
    const violations = []
    const start = (variables) => startServer({ dataDir, variables: { ...variables, ...sabotage?.variables } })
    let server = start({ ...preload, ...fault.variables })
    const demo = await server.started
    if (demo === null) throw new Error(`the server did not start: ${server.output()}`)
    const receiver = await startReceiver(demo, demo.apps[0].apiKey)
    let serving = Promise.resolve(demo)
    let over = false
    const clients = startClients({
      seed,
      demo,
      receiver,
      pickServer: () => serving,
      until: () => over,
      timeoutMs: 10_000,
      // A process that meets a failing disk answers 500 and ends. The contract says that a client may repeat it.
      unanswered: [500, 503, 429],
    })
    let failure = null
    clients.finished.catch((error) => (failure = error))
    const ends = { 'ended itself': 0, refusals: 0 }

    await sleep(beforeMs)
    const context = {
      random,
      dataDir,
      plan,
      violations,
      server,
      sleep,
      /** A further server on the same folder. Resolves with null when it refused to start. */
      startOther: () => start({}),
      setPlan: (line) => writeFileSync(plan, line),
      copyTo: (from, to) => copyFileSync(path.join(dataDir, from), path.join(dataDir, to)),
      move: (from, to) => renameSync(path.join(dataDir, from), path.join(dataDir, to)),
    }
    await fault.strike(context)
    await Promise.race([server.ended, sleep(fault.mustEnd ? mustEndWithinMs : duringMs)])
    await fault.lift?.(context)
    rmSync(plan, { force: true })
    if (server.child.exitCode !== null || server.child.signalCode !== null) {
      ends['ended itself'] += 1
      // What it said last may still be in the pipe.
      await server.ended
      if (!fault.mayEnd?.test(server.output())) {
        const why = fault.mayEnd ? ' without saying why' : ''
        violations.push(`with ${name} the server ended${why}: ${server.output().slice(-300)}`)
      }
    } else if (fault.mustEnd) violations.push(`with ${name} the server goes on`)
    // A process that saw the fault may go on or not. The one after it has only the files.
    let serve
    serving = new Promise((resolve) => (serve = resolve))
    await server.end('SIGKILL')
    await fault.afterwards?.(context)
    server = start({})
    const again = await server.started
    if (again === null) violations.push(`the server does not start after ${name}: ${server.output().slice(-300)}`)
    else {
      serve(again)
      await sleep(300)
    }
    over = true
    if (again === null || failure !== null) {
      await server.end('SIGKILL')
      clients.close()
      await receiver.close()
      if (failure !== null) violations.push(`a client gave up: ${failure.message}`)
      return { violations, ends, ledger: clients.ledger }
    }
    await clients.finished.catch((error) => violations.push(`a client gave up: ${error.message}`))
    violations.push(...clients.violations, ...receiver.violations)
    violations.push(...(await revealAll({ clients, ask: openFiles(dataDir).ask })))
    await clients.resumeAll()
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
    return { violations, ends, ledger: clients.ledger, folders: readdirSync(folder).length }
  })
}

export const faultsOfMachine = {
  unit: 'faults',
  seconds: 180,
  isPossible: canCutPower,
  promises: [
    'A fault of the disk, the clock, the memory or the descriptors loses nothing that was acknowledged, and changes no answer.',
    'The server answers 503 meanwhile, or answers 500, ends and says why. It refuses damaged or replaced files.',
  ],
  notTested:
    'PostgreSQL, whose faults `crash-postgres` tests. Faults of reads. Real volumes and quotas: a library makes the calls fail. A damaged page that no check reads.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 1 },
  smoke: { size: { count: 1 } },
  async run({ budget, seed, control, log }) {
    const sizes = { faults: 0, 'processes that ended by themselves': 0, answers: 0, 'repeated requests': 0 }
    Object.assign(sizes, { submissions: 0, events: 0 })
    const violations = []
    const sabotage = sabotages[control]
    const names = Object.keys(faults).filter((name) => !faults[name].isBug)
    while (!budget.isSpent(sizes.faults) && violations.length === 0) {
      const roundSeed = seed + sizes.faults
      const name = sabotage?.fault ?? names[roundSeed % names.length]
      const { violations: found, ends, ledger } = await runRound({ name, seed: roundSeed, sabotage })
      violations.push(...found.map((one) => `${one} (${name}, --seed ${roundSeed})`))
      sizes.faults += 1
      sizes['processes that ended by themselves'] += ends['ended itself']
      sizes.answers += ledger.answers
      sizes['repeated requests'] += ledger.repeats
      sizes.submissions += ledger.submissions.size
      sizes.events += ledger.events.size + ledger.transactions.size
      log(`${name}: ${ledger.answers} answers, ${found.length} violations`)
    }
    return { sizes, violations }
  },
}
