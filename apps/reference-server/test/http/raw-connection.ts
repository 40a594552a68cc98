import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are asserted on, not worked with
  readonly json: any
}

/** Where to connect: plain, or TLS when there is a CA to trust. */
export interface RawTarget {
  readonly port: number
  readonly ca?: string
  /** Keep the client's side open when the server has closed its own. */
  readonly allowHalfOpen?: boolean
}

/** A connection on which any bytes can be sent, well-formed or not. */
export interface RawConnection {
  readonly socket: Socket
  send(bytes: string | Uint8Array): void
  /** Sends, and resolves once the system has taken it; rejects when the connection is over. */
  written(bytes: string | Uint8Array): Promise<void>
  /** The next answer; rejects when the connection ends before it is complete, or after a minute. */
  answer(): Promise<RawAnswer>
  /** Resolves when the server has closed its side, all being read; rejects when it was reset, or after a minute. */
  closed(): Promise<void>
  /** Resolves when the connection is over in whatever way; rejects after a minute. */
  ended(): Promise<void>
}

const timeoutMs = 60_000

/** Opens a connection. Answers 1xx are skipped, but remembered as `100` in `informational`. */
export async function openRaw(target: RawTarget): Promise<RawConnection & { readonly informational: number[] }> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const { port, allowHalfOpen = false } = target
    const opened: Socket =
      target.ca === undefined
        ? connectTcp({ port, host: '127.0.0.1', allowHalfOpen }, () => resolve(opened))
        : connectTls({ port, host: '127.0.0.1', ca: target.ca, servername: 'localhost' }, () => resolve(opened))
    opened.once('error', reject)
  })
  let received = Buffer.alloc(0)
  let ended = false
  let failure: Error | undefined
  const informational: number[] = []
  const waiting = new Set<() => void>()
  const changed = () => waiting.forEach((look) => look())
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    changed()
  })
  const end = () => {
    ended = true
    changed()
  }
  socket.on('end', end)
  socket.on('close', end)
  socket.on('error', (error) => {
    failure = error
    end()
  })

  function until<T>(look: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const attempt = () => {
        let found: T | undefined
        try {
          found = look()
        } catch (error) {
          finish(() => reject(error instanceof Error ? error : new Error('unreadable')))
          return
        }
        if (found !== undefined) finish(() => resolve(found))
        else if (ended) finish(() => reject(new Error(`${what}: the connection ended after ${received.length} bytes`)))
      }
      const timer = setTimeout(() => finish(() => reject(new Error(`${what}: timed out`))), timeoutMs)
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        waiting.delete(attempt)
        settle()
      }
      waiting.add(attempt)
      attempt()
    })
  }

  function takeAnswer(): RawAnswer | undefined {
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (Number.isNaN(status)) throw new Error(`not an answer: ${statusLine}`)
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    if (status === 100) {
      informational.push(status)
      received = received.subarray(headEnd + 4)
      return takeAnswer()
    }
    const length = status === 204 ? 0 : Number(headers['content-length'])
    if (Number.isNaN(length)) throw new Error(`an answer without content-length: ${statusLine}`)
    if (received.length < headEnd + 4 + length) return undefined
    const body = received.subarray(headEnd + 4, headEnd + 4 + length).toString('utf8')
    received = received.subarray(headEnd + 4 + length)
    const isJson = (headers['content-type'] ?? '').includes('json')
    return { status, headers, body, json: isJson ? (JSON.parse(body) as unknown) : undefined }
  }

  return {
    socket,
    informational,
    send: (bytes) => void socket.write(bytes),
    written: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : setImmediate(resolve)))
      }),
    answer: () => until(takeAnswer, 'waiting for an answer'),
    closed: async () => {
      await until(() => (ended ? true : undefined), 'waiting for the end')
      if (failure !== undefined) throw failure
      if (received.length > 0) throw new Error(`left over: ${received.toString('latin1').slice(0, 200)}`)
    },
    ended: async () => {
      await until(() => (ended ? true : undefined), 'waiting for the end')
    },
  }
}

/** Sends bytes on a connection of their own and returns the first answer. */
export async function exchangeRaw(target: RawTarget, bytes: string | Uint8Array): Promise<RawAnswer> {
  const connection = await openRaw(target)
  try {
    connection.send(bytes)
    return await connection.answer()
  } finally {
    connection.socket.destroy()
  }
}
