import { StorageError, type StorageErrorCause, type StorageErrorCode } from '../../storage-error.js'
import { codeOf, hasText } from '../driver-errors.js'

/**
 * Reads the SQLSTATE of an error of pg, also inside Drizzle's wrapper; null for a connection error. A SQLSTATE contains
 * a digit; `EPIPE` of the operating system has the same length but no digit.
 */
export function sqlStateOf(error: unknown): string | null {
  return codeOf(error, /^(?=.*\d)[0-9A-Z]{5}$/)
}

/** Reads a code of the operating system, Node or OpenSSL, for example `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
function systemCodeOf(error: unknown): string | null {
  return codeOf(error, /^[A-Z][A-Z0-9_]{3,60}$/)
}

/** Checks whether the whole transaction may run again at once: after a serialization failure or a deadlock. */
export function isRerunnable(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '40001' || state === '40P01'
}

type Problem = readonly [StorageErrorCode, StorageErrorCause | null]

const unusable = (cause: StorageErrorCause): Problem => ['DATABASE_UNUSABLE', cause]
const unavailable = (cause: StorageErrorCause): Problem => ['STORE_UNAVAILABLE', cause]

/** By SQLSTATE. */
const serverProblems: Readonly<Record<string, Problem>> = {
  '28P01': unusable('LOGIN_REFUSED'),
  '28000': unusable('LOGIN_REFUSED'),
  '3D000': unusable('DATABASE_NOT_FOUND'),
  '57P04': unusable('DATABASE_NOT_FOUND'),
  '3F000': unusable('SCHEMA_NOT_FOUND'),
  '42501': unusable('PERMISSION_MISSING'),
  // A pooler gave the connection another session, without the statements that were prepared, or with those of another.
  '26000': unusable('STATEMENT_LOST'),
  '42P05': unusable('STATEMENT_LOST'),
  // A standby or a read-only setting. It ends after a failover.
  '25006': unavailable('READ_ONLY'),
  '53300': unavailable('TOO_MANY_CONNECTIONS'),
  '53100': unavailable('DISK_FULL'),
  '53200': unavailable('OUT_OF_MEMORY'),
  '57P03': unavailable('STARTING_OR_STOPPING'),
  '57P01': unavailable('CONNECTION_LOST'),
  '57P02': unavailable('CONNECTION_LOST'),
  '57P05': unavailable('CONNECTION_LOST'),
  '08P01': unavailable('POOLER_REFUSED'),
  // Time-out of a statement, a lock, or an idle or long transaction.
  '57014': unavailable('TIMED_OUT'),
  '55P03': unavailable('TIMED_OUT'),
  '25P03': unavailable('TIMED_OUT'),
  '25P04': unavailable('TIMED_OUT'),
  // A statement that needs an open transaction.
  '25P01': ['TRANSACTION_REQUIRED', null],
  '40001': unavailable('CONFLICT'),
  '40P01': unavailable('CONFLICT'),
  // The result of a transaction on another node is unknown.
  '40003': unavailable('CONNECTION_LOST'),
  // A damaged table or index.
  XX001: ['STORE_FAILED', 'DATA_DAMAGED'],
  XX002: ['STORE_FAILED', 'DATA_DAMAGED'],
  // What a trigger, a view or a limit of the server refuses.
  P0001: ['CONSTRAINT', null],
  '44000': ['CONSTRAINT', null],
  '54000': ['CONSTRAINT', null],
  // A statement that cannot run in a transaction, for example `CREATE INDEX CONCURRENTLY`.
  '25001': ['STATEMENT_REFUSED', null],
  // A table or column that others depend on is dropped.
  '2BP01': ['STATEMENT_REFUSED', null],
  // A table or column is missing.
  '42P01': ['SCHEMA_OUTDATED', null],
  '42703': ['SCHEMA_OUTDATED', null],
}

/** By code of the operating system, Node or OpenSSL. */
const connectionProblems: Readonly<Record<string, Problem>> = {
  ENOTFOUND: unusable('HOST_NOT_FOUND'),
  EAI_AGAIN: unavailable('HOST_LOOKUP_FAILED'),
  EAI_FAIL: unavailable('HOST_LOOKUP_FAILED'),
  ECONNREFUSED: unavailable('NOT_LISTENING'),
  // The socket file of a local server.
  ENOENT: unavailable('NOT_LISTENING'),
  EHOSTUNREACH: unavailable('HOST_UNREACHABLE'),
  ENETUNREACH: unavailable('HOST_UNREACHABLE'),
  EHOSTDOWN: unavailable('HOST_UNREACHABLE'),
  EADDRNOTAVAIL: unavailable('HOST_UNREACHABLE'),
  ETIMEDOUT: unavailable('TIMED_OUT'),
  ECONNRESET: unavailable('CONNECTION_LOST'),
  EPIPE: unavailable('CONNECTION_LOST'),
  EPROTO: unavailable('TLS_FAILED'),
  CERT_HAS_EXPIRED: unusable('CERTIFICATE_EXPIRED'),
  CERT_NOT_YET_VALID: unusable('CERTIFICATE_EXPIRED'),
  ERR_TLS_CERT_ALTNAME_INVALID: unusable('CERTIFICATE_NAME_MISMATCH'),
  HOSTNAME_MISMATCH: unusable('CERTIFICATE_NAME_MISMATCH'),
}

/** Errors of pg without a code are recognised by their text. The text itself is dropped. */
const textProblems: readonly (readonly [RegExp, Problem])[] = [
  [/^timeout exceeded when trying to connect$/, unavailable('POOL_EXHAUSTED')],
  [/timeout/i, unavailable('TIMED_OUT')],
  [/does not support SSL/i, unusable('TLS_NOT_OFFERED')],
  [/establishing an SSL connection/i, unavailable('TLS_FAILED')],
  // No password was given, or SCRAM authentication of the server failed.
  [/^SASL/, unusable('LOGIN_REFUSED')],
  [/connection/i, unavailable('CONNECTION_LOST')],
]

/**
 * Converts an error of pg or Drizzle to a {@link StorageError}. Only its SQLSTATE or connection code is kept: its
 * messages and details hold parameters and key values.
 */
export function storageErrorOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  if (isOfArgument(error)) return new StorageError('ARGUMENT_INVALID')
  const state = sqlStateOf(error)
  if (state !== null) {
    const [code, cause] = serverProblem(state, error)
    return new StorageError(code, state, cause)
  }
  // The result of a COMMIT in progress is unknown. Every port states the result of a repeated call.
  const systemCode = systemCodeOf(error)
  const [code, cause] = connectionProblem(systemCode, error)
  return new StorageError(code, systemCode, cause)
}

/** Checks for an argument that is missing, of another type or an invalid date: nothing was sent, and a retry does not help. */
function isOfArgument(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  if (hasText(error, /^No value for placeholder /)) return true
  return error instanceof Error && isOfArgument(error.cause)
}

function serverProblem(state: string, error: unknown): Problem {
  if (state === '08P01' && hasText(error, /startup parameter/i)) return unusable('STARTUP_PARAMETER_REFUSED')
  const known = serverProblems[state]
  if (known !== undefined) return known
  // 22: a value that PostgreSQL cannot store, for example U+0000 in text. 23: constraints.
  if (state.startsWith('22') || state.startsWith('23')) return ['CONSTRAINT', null]
  // 42: wrong SQL, or a name that does not exist.
  if (state.startsWith('42')) return ['STATEMENT_REFUSED', null]
  // 08: the connection, also that of a coordinator to one of its nodes.
  if (state.startsWith('08')) return unavailable('CONNECTION_LOST')
  // 58: a disk of the server that failed, or a node that a distributed database lost. Either ends by a failover or a
  // repair, without a restart of this process.
  if (state.startsWith('58')) return unavailable('SYSTEM_ERROR')
  return ['STORE_UNAVAILABLE', null]
}

function connectionProblem(code: string | null, error: unknown): Problem {
  if (code !== null) {
    const known = connectionProblems[code]
    if (known !== undefined) return known
    if (code.startsWith('ERR_SSL_')) return unavailable('TLS_FAILED')
    // OpenSSL has several codes for an untrusted chain, for example DEPTH_ZERO_SELF_SIGNED_CERT.
    if (/CERT|^UNABLE_TO_|^INVALID_CA$|^INVALID_PURPOSE$|^PATH_LENGTH_EXCEEDED$/.test(code)) {
      return unusable('CERTIFICATE_NOT_TRUSTED')
    }
  }
  return textProblems.find(([text]) => hasText(error, text))?.[1] ?? ['STORE_UNAVAILABLE', null]
}
