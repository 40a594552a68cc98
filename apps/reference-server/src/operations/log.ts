import { pino, type DestinationStream } from 'pino'
import type { Env } from '../env.js'
import { readableLine } from './readable-lines.js'
import { createStandardOutput } from './standard-output.js'

/** Allowed fields of a log line: ids, codes, counts and durations. Never a value of a partner's input. */
export interface LogFields {
  readonly requestId?: string
  readonly listener?: 'api' | 'internal' | 'secure'
  readonly status?: number
  readonly code?: string
  readonly detail?: string
  readonly reason?: string
  readonly appId?: string
  readonly keyVersion?: number
  readonly userId?: string
  readonly verificationId?: string
  readonly eventId?: string
  readonly deliveryId?: string
  readonly endpointId?: string
  readonly state?: string
  readonly attempt?: number
  readonly outcome?: string
  readonly cause?: string
  /** SQLSTATE, or the code of the driver or the operating system. */
  readonly driverCode?: string
  readonly payloadMatches?: boolean | null
  readonly durationMs?: number
  readonly count?: number
  readonly remaining?: number
  readonly examined?: number
  readonly total?: number
  readonly perSecond?: number
  readonly freeBytes?: number
  readonly migration?: string
  /** Name of an index of the database. */
  readonly index?: string
  readonly job?: string
  readonly port?: number
  readonly role?: string
  readonly signal?: string
}

/** The fields at run time: the compiler asks for each. */
const allowed = {
  requestId: true,
  listener: true,
  status: true,
  code: true,
  detail: true,
  reason: true,
  appId: true,
  keyVersion: true,
  userId: true,
  verificationId: true,
  eventId: true,
  deliveryId: true,
  endpointId: true,
  state: true,
  attempt: true,
  outcome: true,
  cause: true,
  driverCode: true,
  payloadMatches: true,
  durationMs: true,
  count: true,
  remaining: true,
  examined: true,
  total: true,
  perSecond: true,
  freeBytes: true,
  migration: true,
  index: true,
  job: true,
  port: true,
  role: true,
  signal: true,
} satisfies Record<keyof LogFields, true>

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
