import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deduplicationStoreCases } from '@kyc-relay/webhooks/testing'
import { createClient } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRedisDeduplicationStore } from './deduplication-store.js'

const isInstalled = spawnSync('redis-server', ['--version']).status === 0
if (!isInstalled)
  console.warn('SKIPPED: redis-server is not installed, so the deduplication store on Redis is not tested.')

const eventId = '0198c0de-0000-7000-8000-000000000001'

describe.skipIf(!isInstalled)('a deduplication store on Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-redis-'))
  const path = join(folder, 'redis.sock')
  let stop: () => Promise<unknown>
  const connect = () => createClient({ socket: { path, tls: false } }).connect()

  beforeAll(async () => {
    const settings = [
      '--port',
      '0',
      '--unixsocket',
      path,
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
    ]
    const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(server, 'exit')
    await new Promise<void>((resolve, reject) => {
      let printed = ''
      server.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        if (printed.includes('eady to accept connections')) resolve()
      })
      server.once('exit', () => reject(new Error(`redis-server ended: ${printed}`)))
    })
    stop = () => {
      server.kill()
      return ended
    }
  })
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    const redis = await connect()
    await redis.flushAll()
    await redis.close()
  })

  test.each(deduplicationStoreCases)('$id $name', async ({ run }) => {
    let nowMs = Date.parse('2026-01-01T00:00:00Z')
    await run({
      open: async () => {
        const redis = await connect()
        return { store: createRedisDeduplicationStore(redis, () => nowMs), close: () => redis.close() }
      },
      advance: async (ms) => void (nowMs += ms),
    })
  })

  test('takes the clock of Redis', async () => {
    const redis = await connect()
    const store = createRedisDeduplicationStore(redis)
    const beforeMs = Number(await redis.eval("local t = redis.call('TIME') return t[1] * 1000", { keys: [] }))
    expect(await store.claim({ eventId, leaseMs: 3_600_000 })).toEqual({ kind: 'claimed', fence: 1 })
    const endsAtMs = Number(await redis.hGet(`{kyc-relay}:event:${eventId}`, 'at'))
    expect(endsAtMs - 3_600_000 - beforeMs).toBeGreaterThanOrEqual(0)
    expect(await store.claim({ eventId, leaseMs: 1 })).toMatchObject({ kind: 'in_progress' })
    expect(await store.complete({ eventId, fence: 1 })).toBe('completed')
    // Nothing was written a minute ago, and everything is older than a minute to come.
    expect(await store.forget({ olderThanMs: 60_000, limit: 10 })).toBe(0)
    expect(await store.forget({ olderThanMs: -60_000, limit: 10 })).toBe(1)
    expect(await redis.dbSize()).toBe(0)
    await redis.close()
  })
})
