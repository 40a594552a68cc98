import { pino, type DestinationStream } from 'pino'
import type { Env } from '../env.js'
import { readableLine } from './readable-lines.js'
import { createStandardOutput } from './standard-output.js'

/** Types of the fields of log lines and spans. */
export interface FieldTypes {
  readonly string: string
  readonly number: number
  readonly boolean: boolean
  readonly 'boolean or null': boolean | null
  readonly listener: 'api' | 'internal' | 'secure'
}

/** Allowed fields of a log line: ids, codes, counts and durations. Never a value of a partner's input. */
const allowed = {
  requestId: 'string',
  listener: 'listener',
  status: 'number',
  code: 'string',
  detail: 'string',
  reason: 'string',
  appId: 'string',
  keyVersion: 'number',
  userId: 'string',
  verificationId: 'string',
  eventId: 'string',
  deliveryId: 'string',
  endpointId: 'string',
  state: 'string',
  attempt: 'number',
  outcome: 'string',
  cause: 'string',
  /** SQLSTATE, or the code of the driver or the operating system. */
  driverCode: 'string',
  payloadMatches: 'boolean or null',
  durationMs: 'number',
  count: 'number',
  remaining: 'number',
  examined: 'number',
  total: 'number',
  perSecond: 'number',
  freeBytes: 'number',
  migration: 'string',
  /** Name of an index of the database. */
  index: 'string',
  job: 'string',
  port: 'number',
  role: 'string',
  signal: 'string',
} as const

/** Fields of a log line. */
export type LogFields = { readonly [Name in keyof typeof allowed]?: FieldTypes[(typeof allowed)[Name]] }

/** Writes JSON lines. `message` is a fixed text. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** A log that does not wait for its reader. */
export interface ServerLog extends Log {
  /** Number of dropped lines that had no reader. */
  droppedLines(): number
  /** Resolves when all lines are written, or after `timeoutMs` without a reader. */
  flush(timeoutMs: number): Promise<void>
}

/** A terminal that shows the log. */
export interface Terminal {
  readonly coloured: boolean
}

/**
 * Creates a log that writes only allow-listed fields. Default destination: standard output. Lines are JSON, or readable
 * for a terminal.
 */
export function createLog(
  env: Pick<Env, 'logLevel'>,
  destination?: DestinationStream,
  terminal: Terminal | null = null,
): ServerLog {
  const options = { level: env.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const output = destination === undefined ? createStandardOutput() : null
  const stream = output?.stream ?? destination
  const sink = pino(options, terminal === null || stream === undefined ? stream : readable(stream, terminal))
  const pick = (fields: LogFields) => {
    const picked: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fields)) {
      if (Object.hasOwn(allowed, name)) picked[name] = value
    }
    return picked
  }
  return {
    info: (message, fields = {}) => sink.info(pick(fields), message),
    warn: (message, fields = {}) => sink.warn(pick(fields), message),
    error: (message, fields = {}) => sink.error(pick(fields), message),
    droppedLines: () => output?.droppedLines() ?? 0,
    flush: (timeoutMs) => output?.flush(timeoutMs) ?? Promise.resolve(),
  }
}

function readable(stream: DestinationStream, { coloured }: Terminal): DestinationStream {
  return { write: (line) => stream.write(readableLine(line, coloured)) }
}

/**
 * Returns the stable code of an error, or `UNEXPECTED`. Message and stack can hold any data, so they are never logged.
 */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'UNEXPECTED'
}

/** Returns the log fields of an error: its code and, for a database, also the cause and the driver's code. */
export function errorFields(error: unknown): Pick<LogFields, 'code' | 'cause' | 'driverCode'> {
  const found = { code: errorCode(error) }
  // Errors of the vault have the codes of its port, with the error of its database as cause.
  for (const one of [error, typeof error === 'object' && error !== null && 'cause' in error ? error.cause : null]) {
    if (typeof one !== 'object' || one === null || !('driverCode' in one)) continue
    const cause = 'cause' in one && isCode(one.cause) ? { cause: one.cause } : {}
    return { ...found, ...cause, ...(isCode(one.driverCode) ? { driverCode: one.driverCode } : {}) }
  }
  return found
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z0-9_]{5,60}$/.test(value)
}
