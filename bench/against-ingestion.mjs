// Loads the server of this checkout and the server of an earlier one, for `against.mjs`.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Pool } from 'undici'
import { temporaryFolder } from './harness.mjs'
import { connections, load, tokensOf } from './submission-load.mjs'

const warmUp = 6_000
const submissions = 2_000
/** A load takes seconds, and what else the machine does can slow one by a third: a round is the sum of several. */
const turns = 4

/** Both servers run all the time, and get their loads in turn: the pair of paces of each round. */
export async function ingestionPairs(folders, rounds, isTls) {
  const dataDir = temporaryFolder()
  const children = []
  const variables = isTls ? {} : { TLS_TERMINATED_UPSTREAM: '1' }
  async function start(which) {
    const { startReferenceServer } = await import(path.join(folders[which], 'reference-server.mjs'))
    const { child, demo } = await startReferenceServer({
      dataDir: path.join(dataDir, which),
      variables,
      onChild: (one) => children.push(one),
    })
    const origin = `${isTls ? 'https' : 'http'}://localhost:${new URL(demo.secureUrl).port}`
    const connect = isTls ? { ca: readFileSync(demo.caFile) } : {}
    return {
      which,
      pid: child.pid,
      tokens: tokensOf(demo),
      pool: new Pool(origin, { connections, pipelining: 1, connect }),
    }
  }
  try {
    const servers = [await start('before'), await start('now')]
    for (const server of servers) await load(server, warmUp)
    const pairs = []
    for (let round = 0; round < rounds; round += 1) {
      const tookMs = { now: 0, before: 0 }
      for (let turn = 0; turn < turns; turn += 1) {
        servers.reverse()
        for (const server of servers)
          tookMs[server.which] += (submissions / (await load(server, submissions)).perSecond) * 1_000
      }
      const paceOf = (which) => (turns * submissions * 1_000) / tookMs[which]
      pairs.push({ now: paceOf('now'), before: paceOf('before') })
    }
    await Promise.all(servers.map(({ pool }) => pool.destroy()))
    return pairs
  } finally {
    for (const child of children) child.kill('SIGINT')
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
  }
}
