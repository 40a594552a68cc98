import { StorageError } from '../../storage-error.js'

/** A parsed connection string with one or several hosts. */
export interface ParsedConnectionString {
  /** One connection string for each host, in order, without `target_session_attrs`. */
  readonly perHost: readonly string[]
}

/** Accepted values of `target_session_attrs`: the stores need a session that can write. */
const writableSessions = ['read-write', 'primary']

/**
 * Parses `postgres://user@host:port/database`, or `postgres://user@a:5432,b:5432/database` with several hosts as in
 * libpq. It refuses a string without a host, for which pg would connect to `PGHOST` or this machine.
 *
 * @throws `DATABASE_UNUSABLE` with the cause `CONNECTION_STRING_INVALID`
 */
export function parseConnectionString(connectionString: unknown): ParsedConnectionString {
  const parts =
    typeof connectionString === 'string'
      ? /^(?<scheme>postgres(?:ql)?:\/\/)(?:(?<user>[^/?#]*)@)?(?<hosts>[^@/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/.exec(
          connectionString,
        )?.groups
      : undefined
  if (parts === undefined) throw invalid()
  const { scheme = '', user, hosts = '', path = '', query = '' } = parts
  const parameters = new URLSearchParams(query)
  const session = parameters.get('target_session_attrs')
  if (session !== null && !writableSessions.includes(session)) throw invalid()
  // libpq's `?host=a,b` is not supported.
  if (/,/.test(`${parameters.get('host') ?? ''}${parameters.get('port') ?? ''}`)) throw invalid()
  const named = hosts.split(',')
  const isSocket = named.length === 1 && hosts === '' && (parameters.get('host') ?? '') !== ''
  if (!isSocket && !named.every((host) => /^(?:\[[0-9a-f:.%]+\]|[^[\]:\s]+)(?::\d{1,5})?$/i.test(host))) throw invalid()

  const kept = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('target_session_attrs='))
  const rest = `${path}${kept.length === 0 ? '' : `?${kept.join('&')}`}`
  return { perHost: named.map((host) => `${scheme}${user === undefined ? '' : `${user}@`}${host}${rest}`) }
}

function invalid(): StorageError {
  return new StorageError('DATABASE_UNUSABLE', null, 'CONNECTION_STRING_INVALID')
}
