// Runs the recipe for Next in Next: installs examples/next into a temporary folder, puts the packed build of
// @kyc-relay/webhooks beside it, and sends requests to `next dev` and to `next start` after `next build`. Then it opens
// storage in a route of a standalone build. Next is half the size of all other dependencies, so it is not in the
// repository's node_modules.
import { execFile, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { openStorage } from './bundled-server.mjs'
import { root } from './published-packages.mjs'

const apiKey = 'kyc_key_example_only'
const secondsToListen = 120
const deposit = { eventType: 'WIDGET_DEPOSIT_COMPLETE', externalReferenceId: 'Zoë-1042', amount: 100.5 }
const body = JSON.stringify(deposit)
const nobody = JSON.stringify({ ...deposit, externalReferenceId: 'nobody' })
const large = JSON.stringify({ pad: 'x'.repeat(1_000_000) })

/** Requests to each path of the receiver; `sign` is what the signature covers when it is not what is sent. */
const cases = [
  { name: 'a signed event', status: 200, books: 1 },
  { name: 'the same event again', status: 200, books: 0, sameId: true },
  { name: 'a type that is not known yet', body: '{"eventType":"LATER"}', status: 200 },
  { name: 'signed with another key', key: 'another', status: 401, code: 'SIGNATURE_MISMATCH' },
  { name: 'no signature', headers: { 'x-hmac-signature': undefined }, status: 401, code: 'SIGNATURE_MISSING' },
  { name: 'a changed amount', sign: body, body: body.replace('100.5', '1000.5'), status: 401 },
  { name: 're-serialised', sign: body, body: JSON.stringify(deposit, null, 2), status: 401 },
  { name: 'a trailing newline', sign: body, body: `${body}\n`, status: 401 },
  { name: 'signed, but no event', body: '[1]', status: 400 },
  { name: 'one megabyte', body: large, status: 413 },
  { name: 'acting fails', body: nobody, status: 500 },
  { name: 'GET', method: 'GET', status: 405 },
  { name: 'still a signed event', status: 200, books: 1 },
]
const parsedFirst = [{ name: 'a body that was parsed before', status: 500, code: 'BODY_ALREADY_PARSED' }]
const requests = [
  ...cases.map((one) => ({ ...one, path: '/api/webhooks' })),
  ...cases.map((one) => ({ ...one, path: '/api/webhooks-on-edge' })),
  ...parsedFirst.map((one) => ({ ...one, path: '/api/parsed-first' })),
]

const run = promisify(execFile)
const stage = mkdtempSync(path.join(tmpdir(), 'kyc-relay-next-'))
const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', KYC_RELAY_API_KEY: apiKey, NO_COLOR: '1' }
// Next reads this as the mode to run in.
delete environment.NODE_ENV
let problems = 0

function report(holds, what, detail = '') {
  if (!holds) problems += 1
  console.log(`  ${holds ? 'ok  ' : 'FAIL'}  ${what}${holds ? '' : `: ${detail}`}`)
}

async function install() {
  cpSync(path.join(root, 'examples', 'next'), stage, {
    recursive: true,
    filter: (source) => !/(?:^|[\\/])(?:node_modules|\.next)$/.test(source),
  })
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: stage, env: environment })
  await addPacked('webhooks')
}

async function addPacked(name) {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', stage], {
    cwd: path.join(root, 'packages', name),
  })
  const [{ filename }] = JSON.parse(stdout)
  const installed = path.join(stage, 'node_modules', '@kyc-relay', name)
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', path.join(stage, filename), '-C', installed, '--strip-components=1'])
}

const next = () => createRequire(path.join(stage, 'package.json')).resolve('next/dist/bin/next')

async function build() {
  await run(process.execPath, [next(), 'build'], { cwd: stage, env: environment })
}

const serve = (mode) => start([next(), mode, '--port', '0', '--hostname', '127.0.0.1'], stage, `next ${mode}`)

/** Starts a server on a free port of the loopback interface. Next may start processes of its own: they end as one group. */
async function start(args, cwd, what) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...environment, PORT: '0', HOSTNAME: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = once(child, 'close')
  let printed = ''
  const address = new Promise((resolve, reject) => {
    const look = (chunk) => {
      printed += chunk
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
      if (found) resolve(found)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    ended.then(() => reject(new Error(`${what} ended: ${printed}`)), reject)
    setTimeout(() => reject(new Error(`${what} does not listen: ${printed}`)), secondsToListen * 1_000).unref()
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  try {
    const booked = () => printed.split('\n').filter((line) => line.startsWith('booked ')).length
    return { address: await address, booked, lastWords: () => printed.split('\n').slice(-60).join('\n'), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function check(mode) {
  console.log(`next ${mode}`)
  const server = await serve(mode)
  try {
    let id = ''
    for (const one of requests) {
      const sent = one.body ?? body
      const bookedBefore = server.booked()
      if (!one.sameId) id = randomUUID()
      const headers = {
        'content-type': 'application/json',
        'x-hmac-signature': createHmac('sha256', one.key ?? apiKey)
          .update(one.sign ?? sent)
          .digest('hex'),
        'x-event-id': id,
        ...one.headers,
      }
      for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name]
      const method = one.method ?? 'POST'
      const response = await fetch(`${server.address}${one.path}`, {
        method,
        headers,
        ...(method === 'POST' ? { body: sent } : {}),
      })
      const answer = await response.text()
      const right = response.status === one.status && answer.includes(one.code ?? '')
      report(right, `${one.path}, ${one.name}: ${one.status}`, `${response.status} ${answer.slice(0, 300)}`)
      // What a route prints goes through a pipe of its own, so it may come a little after the answer.
      if (one.books) await until(() => server.booked() > bookedBefore)
      const booked = server.booked() - bookedBefore
      if (booked !== (one.books ?? 0)) report(false, `${one.path}, ${one.name}`, `booked ${booked} deposits`)
    }
    if (problems > 0) console.log(server.lastWords())
  } finally {
    await server.stop()
  }
}

/** A route that opens storage, in a standalone build that was moved away from everything it was built from. */
async function checkStandalone() {
  console.log('next build, standalone')
  for (const name of ['kyc-core', 'storage-drizzle']) await addPacked(name)
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path', 'drizzle-orm', 'zod'])
    cpSync(path.join(root, 'node_modules', name), path.join(stage, 'node_modules', name), { recursive: true })
  const route = path.join(stage, 'app', 'api', 'storage')
  mkdirSync(route)
  writeFileSync(path.join(route, 'open.mjs'), openStorage)
  writeFileSync(
    path.join(route, 'route.ts'),
    `import { open } from './open.mjs'
export const dynamic = 'force-dynamic'
export const GET = async () => new Response(await open(process.cwd() + '/kyc'))`,
  )
  writeFileSync(
    path.join(stage, 'next.config.mjs'),
    "export default { output: 'standalone', serverExternalPackages: ['better-sqlite3'] }",
  )
  await build()
  const away = mkdtempSync(path.join(tmpdir(), 'kyc-relay-standalone-'))
  try {
    cpSync(path.join(stage, '.next', 'standalone'), away, { recursive: true, verbatimSymlinks: true })
    rmSync(path.join(stage, 'node_modules'), { recursive: true })
    const server = await start([path.join(away, 'server.js')], away, 'the standalone server')
    try {
      const response = await fetch(`${server.address}/api/storage`)
      const answer = await response.text()
      report(answer === 'opened', 'the standalone server opens its storage', `${response.status} ${server.lastWords()}`)
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(away, { recursive: true, force: true })
  }
}

async function until(holds) {
  const giveUpAt = performance.now() + 5_000
  while (!holds() && performance.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 10))
}

try {
  await install()
  const { version } = JSON.parse(readFileSync(path.join(stage, 'node_modules', 'next', 'package.json'), 'utf8'))
  console.log(`Next ${version}`)
  await check('dev')
  await build()
  await check('start')
  await checkStandalone()
} catch (error) {
  problems += 1
  console.log(error.stdout ?? '', error.stderr ?? '', error.message)
} finally {
  rmSync(stage, { recursive: true, force: true })
}
console.log(problems === 0 ? 'The recipe holds in Next.' : `${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
