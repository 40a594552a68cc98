// Sends submissions at a fixed rate, whatever the server does with them, and counts what comes back. A process of its own:
// `overload.bench.mjs` forks it, so that the server's answers are not waiting for the one who counts them.
import { connect } from 'node:net'
import { clearInterval, setInterval } from 'node:timers'

const tickMs = 2

/** One connection that is kept open: one request at a time. */
class Connection {
  #socket
  #waiting = null
  #received = Buffer.alloc(0)
  open = true

  constructor({ host, port }, onFree) {
    this.#socket = connect({ host, port, noDelay: true })
    this.connected = new Promise((resolve) => this.#socket.once('connect', resolve))
    this.#socket.on('data', (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      this.#read(onFree)
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#end())
  }

  send(bytes, onAnswer) {
    this.#waiting = onAnswer
    this.#socket.write(bytes)
  }

  destroy() {
    this.#waiting = null
    this.#socket.destroy()
  }

  #end() {
    this.open = false
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.({ status: 0, retryAfterSeconds: 0 })
  }

  #read(onFree) {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.toString('latin1', 0, end).toLowerCase()
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0)
    if (this.#received.length < end + 4 + length) return
    this.#received = this.#received.subarray(end + 4 + length)
    const answer = {
      status: Number(head.slice(9, 12)),
      retryAfterSeconds: Number(/\r\nretry-after: (\d+)/.exec(head)?.[1] ?? 0),
    }
    const waiting = this.#waiting
    this.#waiting = null
    if (head.includes('\r\nconnection: close')) {
      this.open = false
      this.#socket.end()
    } else onFree(this)
    waiting?.(answer)
  }
}

/** Requests of one run: each with an id that was never used before. */
function createRequests({ path, host, port, tokens, before, after, run }) {
  let made = 0
  return () => {
    made += 1
    const body = `${before}${run}-${made}${after}`
    return (
      `POST ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\ncontent-type: application/json\r\naccept: application/json\r\n` +
      `authorization: Bearer ${tokens[made % tokens.length]}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
  }
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null

/** Whole answers of a run, by what they were and by the tenth of a second they came in. */
function createTally(startedMs) {
  const taken = []
  const refused = []
  const slots = []
  let other = 0
  return {
    add(status, latencyMs) {
      const slot = Math.floor((performance.now() - startedMs) / 100)
      const counts = (slots[slot] ??= { taken: 0, refused: 0, other: 0, slowestMs: 0 })
      if (status === 200) {
        taken.push(latencyMs)
        counts.taken += 1
        counts.slowestMs = Math.max(counts.slowestMs, latencyMs)
      } else if (status === 503) {
        refused.push(latencyMs)
        counts.refused += 1
      } else {
        other += 1
        counts.other += 1
      }
    },
    report() {
      const of = (latencies) => {
        latencies.sort((one, another) => one - another)
        return {
          count: latencies.length,
          p50Ms: percentile(latencies, 0.5),
          p99Ms: percentile(latencies, 0.99),
          slowestMs: percentile(latencies, 1),
        }
      }
      return { taken: of(taken), refused: of(refused), other, slots: Array.from(slots, (one) => one ?? null) }
    },
  }
}

/**
 * As many requests per second as told, over connections that are open before it begins, as a proxy's are. What finds none
 * free is not sent, and counted.
 */
async function openLoop({ target, perSecond, forMs, connections, drainMs }) {
  const nextRequest = createRequests(target)
  const free = []
  const all = new Set()
  const onFree = (connection) => free.push(connection)
  for (let opened = 0; opened < connections; opened += 1) {
    const fresh = new Connection(target, onFree)
    await fresh.connected
    all.add(fresh)
    free.push(fresh)
  }
  const startedMs = performance.now()
  const tally = createTally(startedMs)
  let due = 0
  let sent = 0
  let unsent = 0
  let answered = 0
  const take = () => {
    for (let one = free.pop(); one !== undefined; one = free.pop()) if (one.open) return one
    for (const one of all) if (!one.open) all.delete(one)
    if (all.size >= connections) return null
    const fresh = new Connection(target, onFree)
    all.add(fresh)
    return fresh
  }
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedMs
      if (elapsed > forMs) {
        clearInterval(timer)
        resolve()
        return
      }
      for (const upTo = (elapsed / 1000) * perSecond; due < upTo; due += 1) {
        const connection = take()
        if (connection === null) {
          unsent += 1
          continue
        }
        sent += 1
        const sentMs = performance.now()
        connection.send(nextRequest(), ({ status }) => {
          answered += 1
          tally.add(status, performance.now() - sentMs)
        })
      }
    }, tickMs)
  })
  const tookMs = performance.now() - startedMs
  for (let waited = 0; answered < sent && waited < drainMs; waited += 20)
    await new Promise((next) => setTimeout(next, 20))
  const unanswered = sent - answered
  for (const one of all) one.destroy()
  return { ...tally.report(), tookMs, sent, unsent, unanswered }
}

/** Runs `clients` clients. Each sends its next request after the answer to the previous one. */
async function closedLoop({ target, clients, forMs }) {
  const nextRequest = createRequests(target)
  const startedMs = performance.now()
  const tally = createTally(startedMs)
  const client = async () => {
    let connection = null
    while (performance.now() - startedMs < forMs) {
      connection = connection?.open ? connection : new Connection(target, () => undefined)
      const sentMs = performance.now()
      const { status } = await new Promise((resolve) => connection.send(nextRequest(), resolve))
      tally.add(status, performance.now() - sentMs)
    }
    connection?.destroy()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { ...tally.report(), tookMs: performance.now() - startedMs }
}

/** Starts `clients` clients at once, each with one submission, which it repeats after `Retry-After` until it is accepted. */
async function storm({ target, clients, forMs }) {
  const nextRequest = createRequests(target)
  const startedMs = performance.now()
  const tally = createTally(startedMs)
  let done = 0
  let attempts = 0
  let unheard = 0
  const client = async () => {
    const request = nextRequest()
    let connection = null
    while (performance.now() - startedMs < forMs) {
      connection = connection?.open ? connection : new Connection(target, () => undefined)
      const sentMs = performance.now()
      attempts += 1
      const { status, retryAfterSeconds } = await new Promise((resolve) => connection.send(request, resolve))
      tally.add(status, performance.now() - sentMs)
      if (status === 200) {
        done += 1
        break
      }
      if (status === 0) unheard += 1
      const waitMs = (retryAfterSeconds === 0 ? 1 : retryAfterSeconds) * 1000
      await new Promise((next) => setTimeout(next, waitMs))
    }
    connection?.destroy()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { ...tally.report(), tookMs: performance.now() - startedMs, clients, done, attempts, unheard }
}

const runs = { openLoop, closedLoop, storm }
process.on('message', ({ kind, ...options }) => {
  runs[kind](options).then((report) => process.send(report))
})
