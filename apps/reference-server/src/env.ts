import * as z from 'zod'
import { isLoopbackAddress } from './http/loopback-address.js'
import { isAllowedOauthUrl } from './identity/oauth-url.js'
import type { DiskSpaceLimits } from './operations/disk-space/disk-space.js'
import { photoStorageOf, type PhotoStorage } from './photos/photo-settings.js'
import { unknownSettings } from './setting-names.js'
import { settings } from './settings.js'

type Settings = typeof settings
type Name = keyof Settings

const names = Object.keys(settings) as Name[]
const schema = z.object(
  Object.fromEntries(names.map((name) => [name, settings[name].type])) as {
    [Each in Name]: Settings[Each]['type']
  },
)

/** Names of all settings. */
export const variableNames: readonly string[] = names

const dayMs = 24 * 60 * 60 * 1000

/** An OAuth server whose JWT access tokens are accepted. */
export interface OauthServer {
  readonly issuer: string
  readonly audience: string
}

/** Database options. All but `migrations` are only for PostgreSQL. */
export interface DatabaseSettings {
  /** Most connections of this process to each database. */
  readonly maxConnections: number
  readonly vaultMaxConnections: number
  /** True to wake the workers of other processes with `NOTIFY`. */
  readonly notify: boolean
  /** `require`: the server refuses to start on a schema that is not up to date. */
  readonly migrations: 'apply' | 'require'
  /** True if a pooler lends a server connection for one transaction. */
  readonly transactionPooler: boolean
  /** True if the tables are distributed over the nodes of Citus. */
  readonly distributed: boolean
}

/** Values derived from several settings, or converted to other units. */
interface DerivedEnv {
  readonly production: boolean
  readonly databaseUrl: string
  readonly vaultDatabaseUrl: string
  readonly databases: DatabaseSettings
  /** Largest SQLite file that is checked for damage at the start, in bytes. */
  readonly sqliteCheckUpToBytes: number
  readonly diskSpaceLimits: DiskSpaceLimits
  readonly keyFile: string
  readonly auditCheckpoints: string
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** Null to accept only opaque tokens of the embedded store. */
  readonly oauth: OauthServer | null
  readonly photoStorage: PhotoStorage
  readonly retention: { readonly bodyAgeMs: number; readonly attemptAgeMs: number }
  readonly kycStatusEvents: boolean
  readonly kycProviders: readonly string[]
  readonly publicHosts: readonly string[]
  readonly submissionPolicy: NonNullable<z.output<typeof schema>['SUBMISSION_POLICY']>
  /** Variables that look like a misspelt setting, such as `PORTT: did you mean PORT?`. */
  readonly unknownSettings: readonly string[]
}

type CamelCase<Text extends string> = Text extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Text>

/** Each setting under its name in camel case; null if it is not set. */
type SettingsInCamelCase = {
  readonly [Each in Name as CamelCase<Each>]:
    | Exclude<z.output<Settings[Each]['type']>, undefined>
    | (undefined extends z.output<Settings[Each]['type']> ? null : never)
}

/** The parsed settings of the server, with their defaults. `settings.ts` describes each. */
export type Env = Omit<SettingsInCamelCase, keyof DerivedEnv> & DerivedEnv

/** Error for missing or malformed settings. Holds their names, never their values. */
export class EnvError extends Error {
  readonly code = 'ENV_INVALID'
  constructor(
    readonly problems: readonly string[],
    /** Variables that look like a misspelt setting. */
    readonly unknown: readonly string[] = [],
  ) {
    const list = (lines: readonly string[]) => lines.map((line) => `\n  - ${line}`).join('')
    const beside = unknown.length === 0 ? '' : `\nThese settings are unknown:${list(unknown)}`
    super(`These settings are missing or malformed:${list(problems)}${beside}`)
    this.name = 'EnvError'
  }
}

const auditSchema = schema.pick({
  DATA_DIR: true,
  DATABASE_URL: true,
  VAULT_DATABASE_URL: true,
  DATABASE_TRANSACTION_POOLER: true,
  KEY_FILE: true,
  AUDIT_CHECKPOINTS: true,
})

/** Settings for verifying the audit log: databases, key file and checkpoints. */
export type AuditEnv = Places & Pick<DatabaseSettings, 'transactionPooler'> & Pick<Env, 'unknownSettings'>

type Places = Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl' | 'keyFile' | 'auditCheckpoints'>

/** Parses the settings for verifying the audit log. Reports all problems at once. */
export function parseAuditEnv(variables: Readonly<Record<string, string | undefined>>): AuditEnv {
  const { value, problems } = parseVariables(auditSchema, variables)
  const unknown = unknownSettings(variables, variableNames)
  if (problems.length > 0) throw new EnvError(problems, unknown)
  return { ...placesOf(value), transactionPooler: value.DATABASE_TRANSACTION_POOLER, unknownSettings: unknown }
}

/** Parses the environment. Reports all problems at once. */
export function parseEnv(variables: Readonly<Record<string, string | undefined>>): Env {
  const { value, given, problems } = parseVariables(schema, variables)
  if ((value.TLS_CERT_FILE === undefined) !== (value.TLS_KEY_FILE === undefined)) {
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE: set both or neither.')
  }
  if ((given['OAUTH_ISSUER'] === undefined) !== (given['OAUTH_AUDIENCE'] === undefined)) {
    problems.push('OAUTH_ISSUER and OAUTH_AUDIENCE: set both or neither.')
  }
  if (value.OAUTH_ISSUER !== undefined && !isIssuer(value.OAUTH_ISSUER, value.NODE_ENV === 'production')) {
    problems.push(malformedText('OAUTH_ISSUER'))
  }
  if (value.NODE_ENV === 'production') {
    const servesApi = value.ROLE === 'all' || value.ROLE === 'api'
    const noInternalToken = given['INTERNAL_TOKEN'] === undefined
    if (servesApi && noInternalToken)
      problems.push(`INTERNAL_TOKEN: required in production. Set ${settings.INTERNAL_TOKEN.expected}.`)
    const opensMetrics = !servesApi && value.OPERATIONS_HOST !== undefined && !isLoopbackAddress(value.OPERATIONS_HOST)
    if (opensMetrics && noInternalToken && given['METRICS_TOKEN'] === undefined) {
      problems.push(
        `METRICS_TOKEN: required where OPERATIONS_HOST is not a loopback address. Set ${settings.METRICS_TOKEN.expected}.`,
      )
    }
    if (value.KEY_FILE === undefined)
      problems.push('KEY_FILE: required in production, which never makes one. Set it to the path of your key file.')
    const servesSecure = value.ROLE === 'all' || value.ROLE === 'secure'
    const noTls = value.TLS_CERT_FILE === undefined && value.TLS_KEY_FILE === undefined
    if (servesSecure && noTls && !value.TLS_TERMINATED_UPSTREAM) {
      problems.push(
        'TLS_CERT_FILE and TLS_KEY_FILE: required in production. Set both, or TLS_TERMINATED_UPSTREAM=1 behind a proxy that ends TLS.',
      )
    }
    if (value.ALLOW_LOOPBACK_RECEIVERS)
      problems.push('ALLOW_LOOPBACK_RECEIVERS: for local development only. Remove it.')
  } else if (!value.ALLOW_NON_LOOPBACK_HOST && !isLoopbackAddress(value.HOST)) {
    problems.push(
      'HOST: expected a loopback address outside production. Set ALLOW_NON_LOOPBACK_HOST=1 to let other machines connect.',
    )
  }
  if (variables.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    problems.push('NODE_TLS_REJECT_UNAUTHORIZED: certificate checks must stay on. Remove it.')
  }
  const places = placesOf(value)
  if (places.keyFile === places.auditCheckpoints) problems.push('KEY_FILE and AUDIT_CHECKPOINTS: name two files.')
  const photoStorage = photoStorageOf(value)
  if (!('kind' in photoStorage)) problems.push(...photoStorage)
  const unknown = unknownSettings(variables, variableNames)
  if (problems.length > 0 || !('kind' in photoStorage)) throw new EnvError(problems, unknown)
  return {
    ...inCamelCase(value),
    ...places,
    production: value.NODE_ENV === 'production',
    databases: {
      maxConnections: value.DATABASE_MAX_CONNECTIONS,
      vaultMaxConnections: value.VAULT_DATABASE_MAX_CONNECTIONS,
      notify: value.DATABASE_NOTIFY,
      migrations: value.DATABASE_MIGRATIONS,
      transactionPooler: value.DATABASE_TRANSACTION_POOLER,
      distributed: value.DATABASE_DISTRIBUTED,
    },
    sqliteCheckUpToBytes: value.SQLITE_CHECK_UP_TO_MB * 1_048_576,
    diskSpaceLimits: {
      minFreePercent: value.MIN_FREE_DISK_PERCENT,
      minFreeBytes: value.MIN_FREE_DISK_MB * 1_048_576,
    },
    tls:
      value.TLS_CERT_FILE !== undefined && value.TLS_KEY_FILE !== undefined
        ? { certFile: value.TLS_CERT_FILE, keyFile: value.TLS_KEY_FILE }
        : null,
    oauth:
      value.OAUTH_ISSUER !== undefined && value.OAUTH_AUDIENCE !== undefined
        ? { issuer: value.OAUTH_ISSUER, audience: value.OAUTH_AUDIENCE }
        : null,
    photoStorage,
    retention: { bodyAgeMs: value.BODY_RETENTION_DAYS * dayMs, attemptAgeMs: value.ATTEMPT_RETENTION_DAYS * dayMs },
    kycStatusEvents: value.KYC_STATUS_EVENTS,
    kycProviders: value.KYC_PROVIDERS ?? [],
    publicHosts: value.PUBLIC_HOSTS ?? [],
    submissionPolicy: value.SUBMISSION_POLICY ?? {},
    unknownSettings: unknown,
  }
}

function inCamelCase(value: z.output<typeof schema>): SettingsInCamelCase {
  const camelCase = (name: string) =>
    name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(names.map((name) => [camelCase(name), value[name] ?? null])) as SettingsInCamelCase
}

/**
 * Reads each variable. A malformed one is a problem, and unset in `value`, so that contradictions between other
 * settings are found too.
 */
function parseVariables<Schema extends z.ZodType>(
  shape: Schema,
  variables: Readonly<Record<string, string | undefined>>,
): { value: z.output<Schema>; given: Readonly<Record<string, string | undefined>>; problems: string[] } {
  // An empty variable (`PORT=`) counts as not set.
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = shape.safeParse(given)
  if (parsed.success) return { value: parsed.data, given, problems: [] }
  const malformed = [...new Set(parsed.error.issues.map((issue) => issue.path[0] as Name))]
  return {
    value: shape.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !malformed.includes(name as Name)))),
    given,
    problems: malformed.map(malformedText),
  }
}

/** Says what a setting expects and what to do, never its value. */
function malformedText(name: Name): string {
  const { expected, fallback } = settings[name]
  const otherwise =
    fallback === null ? 'Correct or remove it.' : `Correct it, or remove it for the default, ${fallback}.`
  return `${name}: expected ${expected}. ${otherwise}`
}

function placesOf(value: z.output<typeof auditSchema>): Places {
  return {
    databaseUrl: value.DATABASE_URL ?? `file:${value.DATA_DIR}/kyc.db`,
    vaultDatabaseUrl: value.VAULT_DATABASE_URL ?? defaultVaultUrl(value),
    keyFile: value.KEY_FILE ?? `${value.DATA_DIR}/keys.json`,
    auditCheckpoints: value.AUDIT_CHECKPOINTS ?? `${value.DATA_DIR}/audit-checkpoints.jsonl`,
  }
}

/**
 * RFC 8414 §2: HTTPS without query or fragment. HTTP is allowed only outside production, for an OAuth server on this
 * machine.
 */
function isIssuer(text: string, production: boolean): boolean {
  const url = new URL(text)
  return url.search === '' && !text.includes('#') && isAllowedOauthUrl(url, !production)
}

/**
 * With PostgreSQL, the default vault is in the same database, so that every process finds it. Set VAULT_DATABASE_URL to
 * separate it.
 */
function defaultVaultUrl({ DATABASE_URL, DATA_DIR }: { DATABASE_URL?: string | undefined; DATA_DIR: string }): string {
  return DATABASE_URL?.startsWith('postgres') ? DATABASE_URL : `file:${DATA_DIR}/vault.db`
}

/** True if this process sends deliveries. */
export function servesWorker({ role }: Pick<Env, 'role'>): boolean {
  return role === 'all' || role === 'worker'
}
