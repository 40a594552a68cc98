import { pino, type DestinationStream } from 'pino'
import type { Env } from '../env.js'
import { createStandardOutput } from './standard-output.js'

/** The only fields that may appear in a log line: ids, codes, counts and durations. Never a value of a partner's input. */
export interface LogFields {
  readonly requestId?: string
  readonly listener?: 'api' | 'internal' | 'secure'
  readonly status?: number
  readonly code?: string
  readonly detail?: string
  readonly reason?: string
  readonly appId?: string
  readonly userId?: string
  readonly verificationId?: string
  readonly eventId?: string
  readonly deliveryId?: string
  readonly endpointId?: string
  readonly attempt?: number
  readonly outcome?: string
  readonly cause?: string
  /** SQLSTATE, or the code of the driver or the operating system. */
  readonly driverCode?: string
  readonly payloadMatches?: boolean
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

const allowed = new Set<keyof LogFields>([
  'requestId',
  'listener',
  'status',
  'code',
  'detail',
  'reason',
  'appId',
  'userId',
  'verificationId',
  'eventId',
  'deliveryId',
  'endpointId',
  'attempt',
  'outcome',
  'cause',
  'driverCode',
  'payloadMatches',
  'durationMs',
  'count',
  'remaining',
  'examined',
  'total',
  'perSecond',
  'freeBytes',
  'migration',
  'index',
  'job',
  'port',
  'role',
  'signal',
])

/** Writes JSON lines. `message` is a fixed text. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** A log whose reader may stop reading. */
export interface ServerLog extends Log {
  /** Lines that were given up because nobody read them. */
  droppedLines(): number
  /** Resolves when what was written is out, or after `patienceMs` if nobody reads it. */
  flush(patienceMs: number): Promise<void>
}

/** A log that passes allow-listed fields only, whatever a caller hands it. Default destination: standard output. */
export function createLog(env: Pick<Env, 'logLevel'>, destination?: DestinationStream): ServerLog {
  const options = { level: env.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const output = destination === undefined ? createStandardOutput() : null
  const sink = pino(options, output?.stream ?? destination)
  const pick = (fields: LogFields) => {
    const picked: Record<string, unknown> = {}
    for (const name of Object.keys(fields) as (keyof LogFields)[]) {
      if (allowed.has(name)) picked[name] = fields[name]
    }
    return picked
  }
  return {
    info: (message, fields = {}) => sink.info(pick(fields), message),
    warn: (message, fields = {}) => sink.warn(pick(fields), message),
    error: (message, fields = {}) => sink.error(pick(fields), message),
    droppedLines: () => output?.droppedLines() ?? 0,
    flush: (patienceMs) => output?.flush(patienceMs) ?? Promise.resolve(),
  }
}

/** The stable code of an error, or `UNEXPECTED`. Its message and stack may hold anything, so they are never logged. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'UNEXPECTED'
}

/** What a log line says of an error: its code, and of a database also why, and with which code of the driver. */
export function errorFields(error: unknown): Pick<LogFields, 'code' | 'cause' | 'driverCode'> {
  const found = { code: errorCode(error) }
  // The vault speaks the codes of its port, and has the error of its database as a cause.
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
