import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const built = (program) => fileURLToPath(new URL(`../apps/reference-server/dist/${program}.js`, import.meta.url))

/** Long limits, so that no answer depends on how fast requests come; short delays, so that deliveries end soon. */
export const settings = {
  PORT: '0',
  INTERNAL_PORT: '0',
  SECURE_PORT: '0',
  ALLOW_LOOPBACK_RECEIVERS: '1',
  DELIVERY_RETRY_BASE_MS: '5',
  REST_REQUESTS_PER_MINUTE: '9999999',
  GRAPHQL_REQUESTS_PER_MINUTE: '9999999',
  FAILED_AUTHENTICATIONS_PER_MINUTE: '9999999',
  MIN_FREE_DISK_MB: '0',
  MIN_FREE_DISK_PERCENT: '0',
}

/** Characters of a log to keep. A server that has said why it ends still logs each request that it cannot answer. */
const mostOutput = 200_000

/**
 * Starts the built server as a process of its own, as users run it. `started` resolves with its `demo.json`, or with null
 * when the process ended before it served. `preload` is a module that it loads first.
 */
export function startServer({ dataDir, variables = {}, preload = null }) {
  const options = preload === null ? [] : ['--require', preload]
  const child = spawn(process.execPath, [...options, built('main')], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...settings, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  const started = new Promise((resolve) => {
    let serves = false
    const onData = (chunk) => {
      output = (output + chunk).slice(-mostOutput)
      if (serves || !output.includes('"msg":"started"')) return
      serves = true
      resolve(JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')))
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    void ended.then(() => resolve(null))
  })
  return {
    child,
    started,
    ended,
    /** The end of its log. */
    output: () => output,
    /** Sends a signal and resolves with how the process ended. */
    end(signal) {
      child.kill(signal)
      return ended
    },
  }
}

/** Runs `audit verify` on a data folder and resolves with its exit code: 0 when both logs are whole. */
export async function verifyAudit({ dataDir, variables = {} }) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...settings, ...variables }
  const child = spawn(process.execPath, [built('audit'), 'verify'], { env, stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code
}
