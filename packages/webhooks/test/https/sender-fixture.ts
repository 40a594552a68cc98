import type { Server } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { SendRequest, SendResult } from '../../src/delivery/sender.js'
import { dialTcp, type Dial } from '../../src/https/connection.js'
import { createHttpsSender, type HttpsSenderOptions } from '../../src/https/https-sender.js'
import type { NameResolver } from '../../src/https/resolver.js'
import { createTestAuthority, type KeyPairPem, type TestAuthority } from './local/certificates.js'
import { startRawTlsServer, type RawTlsServer } from './local/raw-tls-server.js'

export let authority: TestAuthority
export let certificate: KeyPairPem
export let servers: { close(): Promise<void> }[] = []

/** Before all tests of a file. */
export async function issueCertificate(): Promise<void> {
  authority = await createTestAuthority()
  certificate = await authority.issue()
}
/** After each test. */
export async function closeServers(): Promise<void> {
  await Promise.all(servers.map((server) => server.close()))
  servers = []
}

export async function serve(
  answer: string | ((socket: TLSSocket, reset: () => void) => void),
  options: { certificate?: KeyPairPem } & Parameters<typeof startRawTlsServer>[2] = {},
): Promise<RawTlsServer> {
  const { certificate: own, ...tls } = options
  const respond = typeof answer === 'string' ? (socket: TLSSocket) => socket.end(answer) : answer
  const server = await startRawTlsServer(own ?? certificate, respond, tls)
  servers.push(server)
  return server
}

export const body = new TextEncoder().encode('{"amount":100.5}')
export const request = (url: string, fields: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: { 'content-type': 'application/json', 'x-event-id': 'id-1' },
  body,
  timeoutMs: 5_000,
  ...fields,
})

export function send(
  url: string,
  fields: Partial<SendRequest> = {},
  options: HttpsSenderOptions = {},
): Promise<SendResult> {
  const policy = { allowLoopback: { caPem: authority.caPem } }
  return createHttpsSender({ policy, dial: loopbackOnly, resolve: noResolver, ...options })(request(url, fields))
}

/** No test reaches out: a connection to anything but this machine, or a question to a name server, is an error. */
export const loopbackOnly: Dial = (target) => {
  if (target.address !== '127.0.0.1' && target.address !== '::1') throw new Error('a test tried to leave the machine')
  return dialTcp(target)
}
const noResolver: NameResolver = () => Promise.reject(new Error('a test tried to ask a name server'))

export const text = (result: SendResult) => new TextDecoder().decode(result.responseBody ?? new Uint8Array())
export const ok = (payload = 'fine') => `HTTP/1.1 200 OK\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`

/** Sends a text for ever, one character at a time. */
export function drip(payload: string): (socket: TLSSocket) => void {
  return (socket) => {
    let at = 0
    const timer = setInterval(() => socket.write(payload[at++ % payload.length] ?? ''), 15)
    socket.on('close', () => clearInterval(timer))
  }
}

/** A server of Node that `servers` can close. */
export const closing = (server: Server) => ({
  close: () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
    }),
})

/** A resolver that gives these addresses for every name. */
export const to =
  (...addresses: readonly string[]): NameResolver =>
  () =>
    Promise.resolve({ kind: 'addresses', addresses })
