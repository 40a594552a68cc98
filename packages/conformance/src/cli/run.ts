import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { version } from '../../package.json'
import { checkIngestion } from '../ingestion/check-ingestion.js'
import type { CaseOutcome } from '../outcome.js'
import { checkReceiver } from '../receiver/check-receiver.js'
import { formatJunit, formatTable } from '../report.js'
import { checkSender } from '../sender/check-sender.js'
import { CannotListen } from '../sender/local-receiver.js'

/** The parts of the process that the command uses. Tests replace them. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly now: () => Date
  readonly fetch?: typeof fetch
}

class UsageError extends Error {}

const help = `kyc-conformance: hold the other side to the contract, over the wire

Usage: kyc-conformance receiver|sender|ingestion --url URL [options]

  receiver    send webhooks to a receiver at URL, good and bad ones
  sender      let the server at URL (without /api/v1) send webhooks to this
              command, and check them
  ingestion   send submissions to the GraphQL endpoint at URL

Options:
  --url URL            what to check
  --key-env NAME       environment variable with the API key, for ingestion with
                       an access token (default: KYC_RELAY_API_KEY)
  --json               print the outcomes as JSON
  --junit FILE         write the outcomes as JUnit XML
  --timeout SECONDS    most seconds for an answer (default 30; sender 60)

Receiver:
  --standard-webhooks  it verifies the headers of Standard Webhooks too
Sender:
  --listen HOST:PORT   where to listen (default: 127.0.0.1, a free port)
  --receiver-url URL   where the server reaches this command
  --cert-file PATH, --tls-key-file PATH   take HTTPS with this certificate
Ingestion:
  --dry-run            ask validateKycVerification, which records nothing

A certificate authority of your own: set NODE_EXTRA_CA_CERTS.

Exit code: 0 all right, 1 something wrong, 2 a mistake in the command line.

Examples:
  kyc-conformance receiver --url http://localhost:3000/webhooks
  kyc-conformance ingestion --url https://localhost:4443/api/v1/graphql \\
    --key-env ACCESS_TOKEN --dry-run --junit ingestion.xml
`

const options = {
  url: { type: 'string' },
  'key-env': { type: 'string' },
  json: { type: 'boolean' },
  junit: { type: 'string' },
  timeout: { type: 'string' },
  'standard-webhooks': { type: 'boolean' },
  listen: { type: 'string' },
  'receiver-url': { type: 'string' },
  'cert-file': { type: 'string' },
  'tls-key-file': { type: 'string' },
  'dry-run': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

/** Options of one check alone. */
const ofOneCheck: Readonly<Record<string, readonly string[]>> = {
  receiver: ['standard-webhooks'],
  sender: ['listen', 'receiver-url', 'cert-file', 'tls-key-file'],
  ingestion: ['dry-run'],
}

type Values = ReturnType<typeof parse>['values']
const parse = (args: readonly string[]) => parseArgs({ args: [...args], allowPositionals: true, options })

/**
 * Runs the command.
 *
 * @returns the exit code: 0 all right, 1 something wrong, 2 a mistake in the command line.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { values, positionals } = parse(args)
    if (values.help || values.version) {
      terminal.out(values.version ? version : help)
      return 0
    }
    const [what = '', ...more] = positionals
    if (!Object.hasOwn(ofOneCheck, what) || more.length > 0) {
      throw new UsageError('Say what to check: receiver, sender or ingestion.')
    }
    refuseOptionsOfOthers(what, values)
    const outcomes = await check(what, values, terminal)
    terminal.out(values.json ? JSON.stringify({ suite: what, cases: outcomes }, null, 2) : formatTable(outcomes))
    // Last: the outcomes are told even if the file cannot be written.
    if (values.junit !== undefined) await writeReport(values.junit, formatJunit(what, outcomes))
    return outcomes.some(({ state }) => state === 'failed') ? 1 : 0
  } catch (error) {
    if (!isUsageError(error)) throw error
    // parseArgs adds advice after the first sentence.
    terminal.err(
      error.message
        .replace(/^(Unknown option '[^']*').*/s, '$1. --help lists the options.')
        .split('\n', 1)
        .join(''),
    )
    return 2
  }
}

async function check(what: string, values: Values, { env, now, fetch }: Terminal): Promise<readonly CaseOutcome[]> {
  const common = { url: urlOf('--url', values.url), ...timeoutOf(values.timeout), ...(fetch ? { fetch } : {}) }
  const name = values['key-env'] ?? 'KYC_RELAY_API_KEY'
  const key = env[name]
  if (!key) throw new UsageError(`The environment variable ${name} is not set.`)
  if (what === 'receiver') {
    return checkReceiver({ ...common, now, apiKey: key, standardWebhooks: values['standard-webhooks'] ?? false })
  }
  if (what === 'ingestion') return checkIngestion({ ...common, accessToken: key, dryRun: values['dry-run'] ?? false })
  const receiver = await receiverOf(values)
  try {
    return await checkSender({ ...common, now, apiKey: key, ...receiver })
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error
    throw new UsageError(
      error.reason === null
        ? '--cert-file and --tls-key-file take a certificate and its private key, both PEM.'
        : `Cannot listen on ${values.listen ?? defaultListen}: ${error.reason}. Choose another --listen.`,
    )
  }
}

/** Loopback, at a free port. */
const defaultListen = '127.0.0.1:0'

async function receiverOf(values: Values) {
  const { listen, 'receiver-url': receiverUrl, 'cert-file': certFile, 'tls-key-file': keyFile } = values
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(listen ?? defaultListen) ?? []
  if (host === undefined || Number(port) > 65_535) throw new UsageError('--listen takes HOST:PORT.')
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new UsageError('Give --cert-file and --tls-key-file together.')
  }
  return {
    listen: { host: host.replace(/^\[(.+)\]$/, '$1'), port: Number(port) },
    ...(receiverUrl === undefined ? {} : { receiverUrl: urlOf('--receiver-url', receiverUrl) }),
    ...(certFile === undefined || keyFile === undefined
      ? {}
      : { tls: { cert: await readText(certFile), key: await readText(keyFile) } }),
  }
}

function urlOf(option: string, text: string | undefined): string {
  if (text === undefined) throw new UsageError(`Give a URL: ${option} URL.`)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new UsageError(`${option} takes a full URL, http or https.`)
  }
  return text
}

function timeoutOf(text: string | undefined): { readonly timeoutMs?: number } {
  if (text === undefined) return {}
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 3600)) throw new UsageError('--timeout takes seconds, more than 0 and at most 3600.')
  // A timer takes whole milliseconds.
  return { timeoutMs: Math.ceil(seconds * 1000) }
}

function refuseOptionsOfOthers(what: string, values: Values): void {
  for (const [other, names] of Object.entries(ofOneCheck)) {
    const given = other === what ? undefined : names.find((name) => Object.hasOwn(values, name))
    if (given !== undefined) throw new UsageError(`--${given} belongs to ${other}.`)
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new UsageError(`Cannot read the file ${path}.`)
  }
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch {
    throw new UsageError(`Cannot write the file ${path}.`)
  }
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
