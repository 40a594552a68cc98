import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../apps/reference-server/dist/main.js', import.meta.url))

/**
 * Starts the built server as a separate process on free ports. Resolves after it has written `demo.json`, the last step of a
 * start. Its log is dropped. `dataDir` must be new. `onChild` gets the process at once.
 */
export async function startReferenceServer({ dataDir, variables = {}, nodeOptions = [], onChild = () => {} }) {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
    DATA_DIR: dataDir,
    // The history that some benches write into the databases has no data keys.
    ALLOW_INCOMPLETE_VAULT: '1',
    ...variables,
  }
  const options = [...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []), ...nodeOptions]
  const child = spawn(process.execPath, [...options, main], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  onChild(child)
  for (let look = 0; look < 300; look += 1) {
    try {
      const demo = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'))
      return { child, demo, port: Number(new URL(demo.secureUrl).port) }
    } catch {
      assert.equal(child.exitCode, null, 'the server did not start')
      await sleep(100)
    }
  }
  child.kill('SIGKILL')
  throw new Error('the server did not start')
}

/** Asks a server to stop and resolves when it has ended. */
export async function stopReferenceServer({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
