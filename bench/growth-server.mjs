// What growth is measured with over HTTP: submissions to the whole server, each of another user.
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { Pool } from 'undici'
import { concurrency, newInput, randomUser } from './growth-work.mjs'
import { startReferenceServer, stopReferenceServer } from './reference-server.mjs'
import { query } from './small-submission.mjs'

/** New users who let their app verify them: an access token for each. */
async function admitUsers(apps, count) {
  const tokens = []
  const scopes = ['VERIFY_KYC']
  const expiresAt = new Date(Date.now() + 3_600_000)
  const admit = async () => {
    const user = randomUser()
    const token = randomBytes(32).toString('base64url')
    await apps.putGrant({ ...user, accountId: randomUUID(), externalReferenceId: randomUUID(), scopes })
    await apps.addAccessToken({ hash: createHash('sha256').update(token).digest(), ...user, scopes, expiresAt })
    tokens.push(token)
  }
  while (tokens.length < count) await Promise.all(Array.from({ length: concurrency }, admit))
  return tokens
}

/** Sends `count` submissions over connections that stay open, as soon as each of them has its answer. */
async function submit(pool, tokens, count) {
  let left = count
  const lane = async () => {
    while (left-- > 0) {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: `Bearer ${tokens.pop()}`,
      }
      const body = JSON.stringify({ query, variables: newInput() })
      const answer = await pool.request({ method: 'POST', path: '/api/v1/graphql', headers, body })
      const text = await answer.body.text()
      assert.ok(answer.statusCode === 200 && text.includes('"VERIFIED"'), `${answer.statusCode} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
}

/**
 * One round at one size, through a server that is started for it: milliseconds per submission, of everything from the request to
 * the answer.
 *
 * @param apps Where the users are admitted, before the server starts; `released` then lets the server have the database.
 */
export async function measureServer({ apps, released, variables, folder }, { leadIn, operations }) {
  const tokens = await admitUsers(apps, leadIn + operations)
  await released()
  const dataDir = mkdtempSync(path.join(folder, 'server-'))
  const server = await startReferenceServer({ dataDir, variables: { TLS_TERMINATED_UPSTREAM: '1', ...variables } })
  const pool = new Pool(`http://localhost:${server.port}`, { connections: concurrency, pipelining: 1 })
  try {
    await submit(pool, tokens, leadIn)
    const started = performance.now()
    await submit(pool, tokens, operations)
    return (performance.now() - started) / operations
  } finally {
    await pool.destroy()
    await stopReferenceServer(server)
  }
}
