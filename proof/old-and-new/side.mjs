import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { startReceiver } from './receiver.mjs'

/** Delay before the first retry of a delivery, in milliseconds. */
export const retryBaseMs = 5

/** Times that a request is sent again which a busy server refused. */
const mostTries = 60

/** Long limits, so that no answer depends on how fast the commands come; short delays, so that deliveries end soon. */
const settings = {
  PORT: '0',
  INTERNAL_PORT: '0',
  SECURE_PORT: '0',
  ALLOW_LOOPBACK_RECEIVERS: '1',
  DELIVERY_RETRY_BASE_MS: String(retryBaseMs),
  REST_REQUESTS_PER_MINUTE: '9999999',
  GRAPHQL_REQUESTS_PER_MINUTE: '9999999',
  FAILED_AUTHENTICATIONS_PER_MINUTE: '9999999',
  MIN_FREE_DISK_MB: '0',
  MIN_FREE_DISK_PERCENT: '0',
}

/**
 * One of the two servers under comparison, from a built checkout, with a partner's receiver beside it. `variables` are
 * settings of its own.
 */
export async function startSide({ checkout, name, variables = {} }) {
  const folder = mkdtempSync(path.join(os.tmpdir(), `kyc-relay-${name}-`))
  const dataDir = path.join(folder, 'data')
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...settings, ...variables }
  const log = openSync(path.join(folder, 'server.log'), 'w')
  const main = path.join(checkout, 'apps/reference-server/dist/main.js')
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', log, log] })
  closeSync(log)
  const demo = await readDemo(child, dataDir)
  const receiver = await startReceiver(demo)
  const agent = new Agent({ connect: { ca: readFileSync(demo.caFile) }, connections: 64, keepAliveTimeout: 30_000 })
  let refused = 0
  const origins = { api: demo.apiUrl, internal: demo.internalUrl, secure: demo.secureUrl }

  return {
    name,
    demo,
    origins,
    receiver,
    /** Requests that were refused for overload and sent again. */
    refused: () => refused,
    /** Sends one request and answers what came back, the body as text. Refused for overload, it is sent again. */
    async call({ on, path: target, method = 'GET', headers = {}, body = null }) {
      for (let tries = 1; ; tries += 1) {
        const answer = await request(`${origins[on]}${target}`, { dispatcher: agent, method, headers, body })
        const text = await answer.body.text()
        const { statusCode: status, headers: answered } = answer
        if (status !== 503 || tries === mostTries) return { status, headers: answered, text }
        refused += 1
        await sleep(Number(answered['retry-after'] ?? 1) * 1_000)
      }
    },
    /** Stops the server and answers what its audit logs hold and whether they verify. */
    async stop() {
      child.kill('SIGTERM')
      const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
      await Promise.all([agent.destroy(), receiver.close()])
      return { exitCode: code, audit: await readAudit(checkout, env, dataDir) }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
    kill: () => child.kill('SIGKILL'),
  }
}

async function readDemo(child, dataDir) {
  for (let look = 0; look < 6_000; look += 1) {
    assert.equal(child.exitCode, null, 'a server did not start')
    try {
      return JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'))
    } catch {
      await sleep(100)
    }
  }
  child.kill('SIGKILL')
  throw new Error('a server did not start in ten minutes')
}

/** Entries of each kind in both logs, and how `audit verify` leaves. */
async function readAudit(checkout, env, dataDir) {
  const { default: Database } = await import('better-sqlite3')
  const kinds = {}
  for (const [file, table] of [
    ['kyc.db', 'kyc_relay_audit_entries'],
    ['vault.db', 'kyc_relay_vault_audit_entries'],
  ]) {
    const database = new Database(path.join(dataDir, file), { readonly: true })
    for (const { kind, count } of database.prepare(`SELECT kind, count(*) AS count FROM ${table} GROUP BY kind`).all())
      kinds[kind] = count
    database.close()
  }
  const command = path.join(checkout, 'apps/reference-server/dist/audit.js')
  const child = spawn(process.execPath, [command, 'verify'], { env, stdio: 'ignore' })
  const [verifyExitCode] = await once(child, 'exit')
  return { kinds, verifyExitCode }
}
