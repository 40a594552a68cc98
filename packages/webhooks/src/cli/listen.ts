import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { isIPv6, type AddressInfo, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { listenToFeed } from './api/listen-feed.js'
import { createPalette } from './colours.js'
import { UsageError, type Command, type Terminal } from './command.js'
import { parseCount } from './count-option.js'
import { createListener, parseResponses } from './listener.js'
import { printReceived } from './received-text.js'
import { findSecret, readDemoFile, readText, secretHelp, secretOptions } from './secret-option.js'

/** Command: receives webhooks on this machine. */
export const listenCommand: Command = {
  summary: 'receive webhooks over HTTPS on this machine, verify and print them',
  help: `Usage: kyc-webhooks listen [options]

Receives webhooks over HTTPS, verifies them, prints them, and explains those
that do not verify. Register the printed URL as a webhook endpoint of the local
server, started with ALLOW_LOOPBACK_RECEIVERS=1.

With --from-feed it opens no port. It asks the service for new events, signs
them with a local key (KYC_RELAY_LOCAL_KEY), and hands them to your receiver.

  --data-dir DIR       take certificate, key and API key of the local demo from
                       DIR/demo.json
  --cert PATH, --key PATH
                       certificate and private key (PEM) instead
  --port N             default 8443; 0 takes a free one
  --host NAME          default 127.0.0.1
${secretHelp
  .split('\n')
  .filter((line) => !line.includes('--data-dir'))
  .join('\n')}
  --respond LIST       what to answer to authentic webhooks, one after another,
                       the last one forever: statuses, or "drop" to cut the
                       connection after the event was taken, so that it is
                       sent again
  --delay MS           wait before answering
  --forward URL        hand each authentic webhook on to your own receiver, and
                       answer what it answers
  --duplicates N       hand each one on N times more, at once: your receiver
                       must not act again
  --from-feed          hand on the events of the feed instead, from now on;
                       needs --forward, and --profile, --url or --data-dir
  --from-start         begin with the oldest event that is kept
  --profile NAME, --url URL
                       the service for --from-feed (see kyc-webhooks endpoints)
  --count N            stop after N requests
  --json               one JSON object per line, for scripts

Exit code: 0 stopped, or after N requests, 2 a mistake in the command line.

Examples:
  kyc-webhooks listen --data-dir ./data
  kyc-webhooks listen --data-dir ./data --respond 500,500,200
  kyc-webhooks listen --data-dir ./data --respond drop,200 --delay 2000
  kyc-webhooks listen --data-dir ./data --duplicates 2 \\
    --forward http://localhost:3000/webhooks
  kyc-webhooks listen --from-feed --profile production \\
    --forward http://localhost:3000/webhooks
`,
  async run(args, terminal) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...secretOptions,
        cert: { type: 'string' },
        key: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        respond: { type: 'string' },
        delay: { type: 'string' },
        forward: { type: 'string' },
        duplicates: { type: 'string' },
        count: { type: 'string' },
        'from-feed': { type: 'boolean' },
        'from-start': { type: 'boolean' },
        profile: { type: 'string' },
        url: { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    const count = parseCount('--count', values.count, Number.POSITIVE_INFINITY, 1_000_000, 1)
    const port = parseCount('--port', values.port, 8443, 65_535)
    const duplicates = parseCount('--duplicates', values.duplicates, 0, 100)
    if (duplicates > 0 && values.forward === undefined) {
      throw new UsageError(
        '--duplicates needs --forward URL. To have the sender repeat an event, use --respond drop,200.',
      )
    }
    if (values.forward !== undefined && !(/^https?:\/\//.test(values.forward) && URL.canParse(values.forward))) {
      throw new UsageError('--forward takes the URL of your receiver, https://… or http://….')
    }
    refuseForeignOptions(values)
    if (values['from-feed'] === true) {
      const forward = values.forward
      if (forward === undefined) throw new UsageError('--from-feed needs --forward URL.')
      const { profile, url, 'data-dir': folder } = values
      const service = { profile, url, 'data-dir': folder }
      const fromStart = values['from-start'] === true
      const feed = { forward: new URL(forward), fromStart, count, json: values.json === true, service }
      return listenToFeed(feed, terminal)
    }
    const options = {
      secret: await findSecret(values, terminal),
      responses: parseResponses(values.respond),
      delayMs: parseCount('--delay', values.delay, 0, 600_000),
      forward: values.forward === undefined ? undefined : new URL(values.forward),
      duplicates,
      stopped: terminal.stopped,
    }
    const certificate = await findCertificate(values)

    let received = 0
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
      terminal.stopped.addEventListener('abort', () => resolve(), { once: true })
    })
    const palette = createPalette(terminal.colours)
    const listener = createListener(options, (one) => {
      terminal.out(
        values.json ? JSON.stringify({ at: terminal.now(), ...one }) : printReceived(one, terminal.now(), palette),
      )
      received++
      if (received >= count) finish()
    })
    const { server, close } = createTlsServer(certificate, listener)
    const host = values.host ?? '127.0.0.1'
    printUrl(await listening(server, port, host), host, values.json === true, terminal)
    if (!terminal.stopped.aborted) await finished
    await close()
    return 0
  },
}

/** Refuses what would have no effect: half of the options are for a port, the others for the feed. */
function refuseForeignOptions(values: Readonly<Record<string, unknown>>): void {
  const isFeed = values['from-feed'] === true
  const foreign = isFeed
    ? ['cert', 'key', 'port', 'host', 'secret-env', 'secret-file', 'respond', 'delay', 'duplicates']
    : ['from-start', 'profile', 'url']
  const given = foreign.find((name) => values[name] !== undefined)
  if (given === undefined) return
  throw new UsageError(isFeed ? `--from-feed takes no --${given}.` : `--${given} needs --from-feed.`)
}

/** Creates a server. `close` lets it answer the requests that have arrived, and ends all connections. */
function createTlsServer(
  certificate: { cert: string; key: string },
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): { readonly server: Server; readonly close: () => Promise<void> } {
  const answering = new Map<IncomingMessage, Promise<unknown>>()
  const connections = new Set<Socket>()
  const server = secureServer(certificate)
    .on('connection', (socket: Socket) => {
      connections.add(socket)
      socket.once('close', () => connections.delete(socket))
    })
    .on('request', (request, response) => {
      const sent = new Promise((resolve) => response.once('close', resolve))
      answering.set(request, Promise.all([listener(request, response), sent]))
      void sent.then(() => answering.delete(request))
    })
  async function close(): Promise<void> {
    server.close()
    // A body may never end.
    for (const request of answering.keys()) if (!request.complete) request.destroy()
    await Promise.all(answering.values())
    // A browser opens connections on which it sends nothing.
    for (const socket of connections) socket.destroy()
  }
  return { server, close }
}

function secureServer(certificate: { cert: string; key: string }): Server {
  try {
    return createServer(certificate)
  } catch {
    throw new UsageError(
      'Certificate and key do not match: --cert takes a certificate and --key its private key, both PEM.',
    )
  }
}

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : 'unknown reason'
      const isPort = code === 'EADDRINUSE' || code === 'EACCES'
      const where = isPort ? `${host}:${port}` : host
      reject(new UsageError(`Cannot listen on ${where}: ${code}.${isPort ? ' Another --port may be free.' : ''}`))
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

function printUrl(port: number, host: string, json: boolean, terminal: Terminal): void {
  const name = host === '127.0.0.1' || host === '::1' ? 'localhost' : host
  const url = `https://${isIPv6(name) ? `[${name}]` : name}:${port}/`
  terminal.out(json ? JSON.stringify({ listening: url }) : `Listening on ${url} (any path). Stop with Ctrl+C.`)
}

async function findCertificate(values: {
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly 'data-dir'?: string | undefined
}): Promise<{ cert: string; key: string }> {
  if ((values.cert === undefined) !== (values.key === undefined))
    throw new UsageError('Give --cert and --key together.')
  if (values.cert !== undefined && values.key !== undefined) {
    return { cert: await readText(values.cert), key: await readText(values.key) }
  }
  if (values['data-dir'] === undefined)
    throw new UsageError('HTTPS needs a certificate: give --data-dir, or --cert and --key.')
  const { receiverCertFile, receiverKeyFile } = await readDemoFile(values['data-dir'])
  if (receiverCertFile === undefined || receiverKeyFile === undefined) {
    throw new UsageError('demo.json has no receiver certificate. Give --cert and --key.')
  }
  return { cert: await readText(receiverCertFile), key: await readText(receiverKeyFile) }
}
