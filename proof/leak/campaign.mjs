import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { search } from '../../apps/reference-server/test/leak-canaries.ts'
import { inTemporaryFolder } from '../folders.mjs'
import { createRandom } from '../random.mjs'
import { startServer } from '../server-process.mjs'
import { nextRequest } from './requests.mjs'

const lanes = 8
const erasedBy = JSON.stringify({ actor: 'auditor', purpose: 'proof' })
/** The log is searched in pieces that overlap, so that nothing lies between two. */
const logPiece = 1_000_000
const overlap = 10_000
/** A request whose connection breaks is sent again this many times at most. */
const mostTries = 3
const progressEvery = 5_000
const bug = (name) => fileURLToPath(new URL(`./bugs/${name}.cjs`, import.meta.url))

const sabotages = {
  'logs-a-body': { what: 'one body in fifty is printed', breaks: /^log: /, preload: bug('logs-a-body') },
  'keeps-a-body': { what: 'one body in fifty is kept in a file', breaks: /^file /, preload: bug('keeps-a-body') },
  'answers-with-a-body': {
    what: 'an answer repeats what came',
    breaks: /^answer: /,
    preload: bug('answers-with-a-body'),
  },
}

const told = (leaks) => leaks.map(({ sink, canary, encoding }) => `${sink}: ${canary} as ${encoding}`)

/** Every file below a folder: databases, write-ahead logs, whatever anybody calls temporary. */
function searchFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const file = path.join(folder, name)
    return statSync(file).isFile() ? search.find(`file ${name}`, readFileSync(file)) : []
  })
}

/** Searches what a process prints while it comes. */
function searchOutput(child, violations) {
  let held = ''
  let pieces = 0
  const look = () => {
    violations.push(...told(search.find('log', held)))
    held = held.slice(-overlap)
    pieces += 1
  }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      held += chunk
      if (held.length > logPiece) look()
    })
  return () => {
    look()
    return pieces
  }
}

export const leak = {
  unit: 'requests',
  seconds: 120,
  promises: [
    'No personal value of a submission is in any answer, log line, metric or file, unless a partner puts it into an id. Databases, write-ahead logs and temporary files are searched.',
  ],
  notTested:
    'Swap, core dumps and the memory of the process. Spans, which the test `leak.test.ts` of the server searches.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 400 },
  smoke: { size: { count: 100 } },
  run: ({ budget, seed, control, log }) =>
    inTemporaryFolder(async (folder) => {
      const temporary = path.join(folder, 'temporary')
      mkdirSync(temporary)
      const variables = { LOG_LEVEL: 'trace', TMPDIR: temporary, KYC_STATUS_EVENTS: '1' }
      const server = startServer({
        dataDir: path.join(folder, 'data'),
        variables,
        preload: sabotages[control]?.preload ?? null,
      })
      const violations = []
      const endOfOutput = searchOutput(server.child, violations)
      const demo = await server.started
      if (demo === null) throw new Error(`the server did not start: ${server.output()}`)
      const ca = readFileSync(demo.caFile)
      let agent = new Agent({ connect: { ca }, connections: lanes })
      const sizes = { requests: 0, accepted: 0, refused: 0, 'requests whose connection broke': 0, files: 0 }

      async function send({ url, method, headers, body }) {
        for (let tries = 1; ; tries += 1) {
          try {
            const answer = await request(url, { dispatcher: agent, method, headers, body })
            const text = await answer.body.text()
            violations.push(...told(search.find('answer', `${JSON.stringify(answer.headers)}\n${text}`)))
            return { status: answer.statusCode, text }
          } catch (error) {
            if (tries === mostTries) throw error
            sizes['requests whose connection broke'] += 1
            log(`${error.code ?? error.message} after ${sizes.requests} requests`)
          }
        }
      }
      /** A search takes longer than a server keeps an idle connection, and nothing is read meanwhile. */
      async function searchFolder() {
        await agent.destroy()
        agent = new Agent({ connect: { ca }, connections: lanes })
        violations.push(...told(searchFiles(folder)))
      }
      async function lane(number) {
        const random = createRandom(seed, `lane${number}`)
        for (let made = 0; !budget.isSpent(sizes.requests) && violations.length < 20; made += 1) {
          sizes.requests += 1
          if (sizes.requests % progressEvery === 0) log(`${sizes.requests} requests, ${violations.length} violations`)
          const { text } = await send(nextRequest(random, demo, `attempt-${number}-${made}`))
          if (text.includes('"verificationId"')) sizes.accepted += 1
          else sizes.refused += 1
        }
      }
      await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
      const internal = { authorization: `Bearer ${demo.internalToken}`, 'content-type': 'application/json' }
      await send({ url: `${demo.internalUrl}/metrics`, method: 'GET', headers: internal })
      await send({ url: `${demo.apiUrl}/readyz`, method: 'GET', headers: {} })
      await searchFolder()
      for (const { userId } of demo.users) {
        const url = `${demo.internalUrl}/internal/v1/users/${userId}/pii`
        const { status } = await send({ url, method: 'DELETE', headers: internal, body: erasedBy })
        if (status !== 200) violations.push(`an erasure got ${status}`)
      }
      await searchFolder()
      await agent.destroy()
      await server.end('SIGTERM')
      endOfOutput()
      violations.push(...told(searchFiles(folder)))
      sizes.files = readdirSync(folder, { recursive: true }).length
      log(`${sizes.requests} requests, ${sizes.accepted} accepted, ${violations.length} violations`)
      return { sizes, violations: [...new Set(violations)].map((one) => `${one} (--seed ${seed})`) }
    }),
}
