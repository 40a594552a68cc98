import type { Claim, ClaimAnswer, DeduplicationStore } from '@kyc-relay/webhooks'
import type { createClient } from 'redis'

// Each method is one script, which Redis runs alone. An event is a hash of fence, state and time: the end of its lease,
// or when it was completed or released. A sorted set orders the events by that time. Times are milliseconds.
const time = `
local t = redis.call('TIME')
local now = tonumber(ARGV[1]) or t[1] * 1000 + math.floor(t[2] / 1000)
local function write(state, at)
  redis.call('HSET', KEYS[1], 'state', state, 'at', at)
  redis.call('ZADD', KEYS[2], at, KEYS[1])
end
local event = redis.call('HMGET', KEYS[1], 'fence', 'state', 'at')
local fence, state, at = event[1], event[2], tonumber(event[3])
`

const claim = `${time}
if state == 'completed' then return { 'completed', 0 } end
if state == 'claimed' and at > now then return { 'in_progress', at - now } end
write('claimed', now + tonumber(ARGV[2]))
return { 'claimed', redis.call('HINCRBY', KEYS[1], 'fence', 1) }`

const complete = `${time}
if fence ~= ARGV[2] or state == 'released' then return 'stale' end
if state == 'claimed' then write('completed', now) end
return 'completed'`

const fail = `${time}
if fence ~= ARGV[2] or state ~= 'claimed' then return 'stale' end
write('released', now)
return 'released'`

const forget = `
local t = redis.call('TIME')
local now = tonumber(ARGV[1]) or t[1] * 1000 + math.floor(t[2] / 1000)
local old = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - tonumber(ARGV[2])), 'LIMIT', 0, ARGV[3])
for _, key in ipairs(old) do
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[1], key)
end
return #old`

/** What the store needs of a connection of the `redis` package. */
export type RedisConnection = Pick<ReturnType<typeof createClient>, 'eval'>

/**
 * Deduplication in Redis, for receivers in several processes. Its clock is that of Redis; `now` replaces it in tests.
 *
 * Redis must keep what it has answered: set `appendonly yes`, `appendfsync always` and `maxmemory-policy noeviction`. A
 * replica that is promoted can lack the newest events, so an event could then be processed twice. If that matters, mark
 * events in the transaction of your own database.
 */
export function createRedisDeduplicationStore(redis: RedisConnection, now?: () => number): DeduplicationStore {
  // In a cluster all keys with one tag are on one node, as a script needs it.
  const byTime = '{kyc-relay}:events'
  const call = (script: string, keys: string[], args: readonly (number | string)[]) =>
    redis.eval(script, { keys, arguments: [String(now?.() ?? ''), ...args.map(String)] })
  const ofEvent = (eventId: string) => [`{kyc-relay}:event:${eventId}`, byTime]

  return {
    async claim({ eventId, leaseMs }): Promise<ClaimAnswer> {
      const [kind, value] = (await call(claim, ofEvent(eventId), [leaseMs])) as [ClaimAnswer['kind'], number]
      if (kind === 'claimed') return { kind, fence: value }
      if (kind === 'in_progress') return { kind, leaseEndsInMs: value }
      return { kind }
    },
    complete: ({ eventId, fence }: Claim) =>
      call(complete, ofEvent(eventId), [fence]) as Promise<'completed' | 'stale'>,
    fail: ({ eventId, fence }: Claim) => call(fail, ofEvent(eventId), [fence]) as Promise<'released' | 'stale'>,
    forget: ({ olderThanMs, limit }) => call(forget, [byTime], [olderThanMs, limit]) as Promise<number>,
  }
}
