import { setTimeout as wait } from 'node:timers/promises'
import { printableText } from '../colours.js'
import { UsageError, type Terminal } from '../command.js'
import { readDemoFile } from '../secret-option.js'
import { readProfile, type Profile } from './profile-file.js'

/** Options that say which service to ask, shared by all verbs of the API. */
export const serviceOptions = {
  profile: { type: 'string' },
  url: { type: 'string' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Help text of {@link serviceOptions}. */
export const serviceHelp = `  --profile NAME     address and API key of this profile (see profile --help)
  --data-dir DIR     those of the local demo, from DIR/demo.json
  --url URL          address of the service (default http://localhost:4000); the
                     API key is then KYC_RELAY_API_KEY of the environment
  --json             print JSON, for scripts`

/** A refusal of the service, or a failure to reach it: printed, exit code 1. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  /** Code of the refusal; null when there was no answer. */
  readonly code: string | null
  /** The whole refusal. */
  readonly problem: Readonly<Record<string, unknown>>
  /** True if the same call may succeed later: there was no answer, 429 or 5xx. */
  readonly isTemporary: boolean

  constructor(
    message: string,
    isTemporary: boolean,
    code: string | null = null,
    problem: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.isTemporary = isTemporary
    this.code = code
    this.problem = problem
  }
}

/** Milliseconds between two looks of a command that follows the service. */
const pauseMs = 1000

/**
 * Looks again and again until the process is stopped or `look` returns null, with a pause after each look that returns
 * false. After the first look, a temporary failure is told once and does not end it.
 */
export async function followService(look: () => Promise<boolean | null>, { err, stopped }: Terminal): Promise<void> {
  let told: string | null = null
  for (let isFirst = true; !stopped.aborted; isFirst = false) {
    let isBusy: boolean | null = false
    try {
      isBusy = await look()
      told = null
    } catch (error) {
      if (isFirst || !(error instanceof ServiceError) || !error.isTemporary) throw error
      if (error.message !== told) err(error.message)
      told = error.message
    }
    if (isBusy === null) return
    if (!isBusy) await wait(pauseMs, undefined, { signal: stopped }).catch(() => undefined)
  }
}

/** The webhooks API of one app. */
export interface Service {
  readonly apiKey: string
  /**
   * Asks the service. `path` begins after `/api/v1/webhooks`.
   *
   * @param members The answer must have them: another server may answer with JSON too. Null for an answer without a body.
   */
  call<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    members: readonly (keyof Answer & string)[] | null,
    body?: object,
  ): Promise<Answer>
  /** Asks for a page of a list, whose items have this id. */
  list<Page extends { readonly items: readonly unknown[] }>(path: string, id: 'id' | 'eventId'): Promise<Page>
}

interface Choice {
  readonly profile?: string | undefined
  readonly url?: string | undefined
  readonly 'data-dir'?: string | undefined
}

/** Finds the service and the API key. The key is never an argument: other users see those. */
export async function findService(choice: Choice, terminal: Terminal): Promise<Service> {
  const { url, apiKey } = await findProfile(choice, terminal)
  const base = new URL('/api/v1/webhooks', url).href
  const service: Service = {
    apiKey,
    async list<Page extends { readonly items: readonly unknown[] }>(path: string, id: string): Promise<Page> {
      const page = await service.call<Page>('GET', path, ['items'])
      const isItem = (item: unknown) => typeof (item as Record<string, unknown> | null)?.[id] === 'string'
      if (!Array.isArray(page.items) || !page.items.every(isItem)) throw foreignAnswer(200)
      return page
    },
    async call<Answer>(
      method: 'GET' | 'POST' | 'DELETE',
      path: string,
      members: readonly string[] | null,
      body?: object,
    ): Promise<Answer> {
      const ask = async () => {
        const response = await fetch(`${base}${path}`, {
          method,
          // Elsewhere would be another server, which must not get the API key.
          redirect: 'manual',
          signal: AbortSignal.any([terminal.stopped, AbortSignal.timeout(60_000)]),
          headers: {
            authorization: `Bearer ${apiKey}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        return { response, text: await textOf(response) }
      }
      for (let tries = 1; ; tries += 1) {
        const { response, text } = await ask().catch((error: unknown) => {
          terminal.stopped.throwIfAborted()
          if (error instanceof ServiceError) throw error
          throw new ServiceError(`No answer from ${new URL(url).origin} (${reasonOf(error)}).`, true)
        })
        if (response.ok) return answerOf(response.status, text, members) as Answer
        const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN)
        if (response.status === 429 && tries < 5 && retryAfterS <= 60) {
          await wait(retryAfterS * 1000, undefined, { signal: terminal.stopped }).catch(() => undefined)
          continue
        }
        throw refusalOf(response.status, text)
      }
    },
  }
  return service
}

async function findProfile(choice: Choice, { env }: Terminal): Promise<Profile> {
  const given = (['profile', 'url', 'data-dir'] as const).filter((name) => choice[name] !== undefined)
  if (given.length > 1) throw new UsageError(`Give only one of ${given.map((name) => `--${name}`).join(' and ')}.`)
  if (choice.profile !== undefined) return readProfile(choice.profile, env)
  if (choice['data-dir'] !== undefined) {
    const { apiUrl, apps } = await readDemoFile(choice['data-dir'])
    const apiKey = apps?.[0]?.apiKey
    if (apiUrl !== undefined && apiKey !== undefined) return { url: apiUrl, apiKey }
    throw new UsageError('demo.json has no address and API key.')
  }
  const url = parseServiceUrl(choice.url ?? 'http://localhost:4000')
  const apiKey = env['KYC_RELAY_API_KEY']?.trim()
  if (!apiKey) throw new UsageError('No API key. Set KYC_RELAY_API_KEY, or give --profile or --data-dir.')
  if (!/^[\x20-\x7e]+$/.test(apiKey)) throw new UsageError('KYC_RELAY_API_KEY has characters that no API key has.')
  return { url, apiKey }
}

/** Checks the address of a service: plain HTTP would show the API key to others. */
export function parseServiceUrl(text: string | undefined): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || isLocal) return url.origin
  throw new UsageError('--url takes the address of the service: https://…, or http:// on this machine.')
}

/** Most bytes of an answer: a page of 100 events with the longest bodies is smaller. */
const mostAnswerBytes = 64 * 1024 * 1024

/** Reads an answer. Another server may send one without an end, which would fill the memory. */
async function textOf({ status, body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for (;;) {
    const read = await reader?.read()
    if (read?.value === undefined) return text + decoder.decode()
    size += read.value.byteLength
    text += decoder.decode(read.value, { stream: true })
    if (size <= mostAnswerBytes) continue
    await reader?.cancel()
    throw foreignAnswer(status)
  }
}

/** Another server than the service may answer, such as a proxy with a page of its own. */
function answerOf(status: number, text: string, members: readonly string[] | null): object | null {
  if (status === 204 && members === null) return null
  try {
    const answer = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    if (members?.every((name) => (answer?.[name] ?? null) !== null) === true) return answer
  } catch {
    // The text below says enough: the parser's message would quote the answer.
  }
  throw foreignAnswer(status)
}

export function foreignAnswer(status: number): ServiceError {
  return new ServiceError(`The service answered ${status} without the expected JSON. Is --url its address?`, false)
}

function refusalOf(status: number, text: string): ServiceError {
  if (status < 400) return foreignAnswer(status)
  const isTemporary = status === 429 || status >= 500
  try {
    const problem = JSON.parse(text) as Readonly<Record<string, unknown>>
    const { code, title, detail, violations } = problem
    const pointers = (Array.isArray(violations) ? (violations as { pointer?: unknown; code?: unknown }[]) : [])
      .map((violation) => `\n  ${printableText(`${String(violation.pointer)}: ${String(violation.code)}`)}`)
      .join('')
    const codes = [code, detail].filter((part) => typeof part === 'string').join(' ')
    return new ServiceError(
      `${status} ${printableText(`${codes}: ${String(title)}`)}${pointers}`,
      isTemporary,
      String(code),
      problem,
    )
  } catch {
    return new ServiceError(`The service answered ${status}.`, isTemporary)
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return code || (error instanceof Error ? error.name : 'unknown reason')
}

/** Writes a query string of the given values; empty without any. */
export function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
