import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { inTemporaryFolder } from '../folders.mjs'
import { createRandom } from '../random.mjs'
import { startServer } from '../server-process.mjs'
import { exchange } from './exchange.mjs'
import { nextInput } from './inputs.mjs'
import { judge } from './judge.mjs'

const lanes = 32
const batch = 500
const restDeadlineMs = 60_000
const bug = (name) => fileURLToPath(new URL(`./bugs/${name}.cjs`, import.meta.url))

const sabotages = {
  echo: { what: 'an answer repeats what was asked for', breaks: /repeats/, preload: bug('echo') },
  'library-error': {
    what: 'one answer in fifty is a 500 of a library',
    breaks: /got 500/,
    preload: bug('library-error'),
  },
  'counter-leaks': {
    what: 'a client that is gone stays counted',
    breaks: /still counted/,
    preload: bug('counter-leaks'),
  },
}

async function ordinaryClient(demo, agent) {
  const [user] = demo.users
  const answer = await request(`${demo.apiUrl}/api/v1/graphql`, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${user.accessToken}` },
    body: JSON.stringify({ query: '{ viewer { userId } }' }),
  })
  const text = await answer.body.text()
  return answer.statusCode === 200 && text.includes(user.userId)
}

/** Requests that the server counts as not answered, but for the one that asks. */
async function unanswered(demo, agent) {
  const { body } = await request(`${demo.internalUrl}/metrics`, { dispatcher: agent })
  return Number(/^kyc_relay_requests_unanswered (\d+)$/m.exec(await body.text())?.[1]) - 1
}

/** Until the server is at rest again, or a sentence that says what is not. */
async function restAgain(demo, agent, timeoutMs) {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const isServed = await ordinaryClient(demo, agent)
    const open = await unanswered(demo, agent)
    if (open === 0 && isServed) return []
    if (performance.now() > deadlineMs)
      return [open !== 0 ? `${open} requests are still counted` : 'an ordinary client is not served']
    await sleep(50)
  }
}

export const attack = {
  unit: 'inputs',
  seconds: 120,
  promises: [
    'Whatever bytes a client sends, it gets an answer of ours or the connection is closed. No answer repeats a submitted value. Other clients are served.',
  ],
  notTested: 'Floods from many addresses, TLS itself, HTTP/2. What a proxy in front of the server does.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 400 },
  smoke: { size: { count: 200 }, controlSize: { count: 200 }, controls: ['echo'] },
  run: ({ budget, seed, control, log }) =>
    inTemporaryFolder(async (folder) => {
      const server = startServer({ dataDir: path.join(folder, 'data'), preload: sabotages[control]?.preload ?? null })
      const demo = await server.started
      if (demo === null) throw new Error(`the server did not start: ${server.output()}`)
      const agent = new Agent({ connections: 4 })
      const ca = readFileSync(demo.caFile)
      const portOf = (url) => Number(new URL(url).port)
      const targets = [
        { port: portOf(demo.apiUrl), ca: null },
        { port: portOf(demo.secureUrl), ca },
        { port: portOf(demo.internalUrl), ca: null },
      ]
      const sizes = { inputs: 0, answers: 0, batches: 0 }
      const violations = []
      const timeoutMs = control === null ? restDeadlineMs : 3_000
      async function lane(number, end) {
        const random = createRandom(seed + sizes.batches, `lane${number}`)
        while (sizes.inputs < end && violations.length < 20) {
          sizes.inputs += 1
          const marker = `zq${random.uuid().slice(0, 8)}`
          const input = nextInput(random, { token: demo.users[0].accessToken, marker })
          const { received, hangs } = await exchange(random.pick(targets), input)
          if (received.length > 0) sizes.answers += 1
          const wrong = [...judge({ bytes: input.bytes, received, marker }), ...(hangs ? ['the connection hangs'] : [])]
          violations.push(...wrong.map((one) => `${input.name}: ${one} (--seed ${seed + sizes.batches})`))
        }
      }
      while (!budget.isSpent(sizes.inputs) && violations.length === 0) {
        const end = sizes.inputs + Math.min(batch, budget.left(sizes.inputs) ?? batch)
        await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number, end)))
        violations.push(...(await restAgain(demo, agent, timeoutMs)))
        sizes.batches += 1
      }
      await agent.destroy()
      const { code } = await server.end('SIGTERM')
      if (code !== 0 && control === null) violations.push(`the server left with ${code} when asked to stop`)
      log(`${sizes.inputs} inputs, ${sizes.answers} answers, ${violations.length} violations`)
      return { sizes, violations }
    }),
}
