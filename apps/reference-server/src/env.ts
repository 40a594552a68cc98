import type { SubmissionPolicy } from '@kyc-relay/kyc-core'
import { z } from 'zod'
import type { DiskSpaceLimits } from './operations/disk-space/disk-space.js'
import { photoStorageOf, photoVariables, type PhotoStorage } from './photos/photo-settings.js'
import { isAllowedOauthUrl } from './identity/oauth-url.js'
import { isLoopbackAddress } from './http/loopback-address.js'
import { bearerToken, databaseUrl, filePath, flag, flagThatIsOn, port, whole } from './setting-types.js'

/** Every switch but `providers`, which are `KYC_PROVIDERS`: one that was misspelt would leave its default in force. */
const policySwitches = z
  .strictObject({
    acceptItin: z.boolean(),
    rejectKnownSampleSsns: z.boolean(),
    strictAddresses: z.boolean(),
    maxDecisionAgeDays: z.int().min(1),
    allowLoopbackPhotos: z.boolean(),
  } satisfies Record<keyof Omit<SubmissionPolicy, 'providers'>, z.ZodType>)
  .partial()
const policyJson = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom' })
      return z.NEVER
    }
  })
  .pipe(policySwitches)
  .default({})

const requestsPerMinute = whole(1, 9_999_999_999)
const days = whole(1, 36_500)

const schema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  ROLE: z.enum(['all', 'api', 'secure', 'worker']).default('all'),
  HOST: z.string().min(1).default('127.0.0.1'),
  ALLOW_NON_LOOPBACK_HOST: flag,
  OPERATIONS_HOST: z.string().min(1).optional(),
  PORT: port(4000),
  INTERNAL_PORT: port(4001),
  SECURE_PORT: port(4443),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: databaseUrl,
  VAULT_DATABASE_URL: databaseUrl,
  DATABASE_MAX_CONNECTIONS: whole(2, 1_000).default(10),
  VAULT_DATABASE_MAX_CONNECTIONS: whole(2, 1_000).default(10),
  DATABASE_MIGRATIONS: z.enum(['apply', 'require']).default('apply'),
  DATABASE_NOTIFY: flagThatIsOn,
  DATABASE_TRANSACTION_POOLER: flag,
  SQLITE_CHECK_UP_TO_MB: whole(0, 1_000_000).default(256),
  MIN_FREE_DISK_PERCENT: whole(0, 100).default(5),
  MIN_FREE_DISK_MB: whole(0, 1_000_000_000).default(1_024),
  KEY_FILE: filePath,
  AUDIT_CHECKPOINTS: filePath,
  TLS_CERT_FILE: filePath,
  TLS_KEY_FILE: filePath,
  TLS_TERMINATED_UPSTREAM: flag,
  EXTERNAL_TOKENIZER: flag,
  KYC_PROVIDERS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    )
    .pipe(z.array(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/))),
  SUBMISSION_POLICY: policyJson,
  OAUTH_ISSUER: z.url().optional(),
  OAUTH_AUDIENCE: z.string().min(1).max(500).optional(),
  INTERNAL_TOKEN: bearerToken,
  METRICS_TOKEN: bearerToken,
  ...photoVariables,
  ALLOW_LOOPBACK_RECEIVERS: flag,
  DELIVERY_RETRY_BASE_MS: whole(1, 3_600_000).default(30_000),
  BODY_RETENTION_DAYS: days.default(30),
  ATTEMPT_RETENTION_DAYS: days.default(90),
  PURGE_TOKENS_PER_DAY: whole(100, 1_000_000).default(100),
  ALLOW_INCOMPLETE_VAULT: flag,
  PUBLIC_HOSTS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter((name) => name !== ''),
    )
    .pipe(z.array(z.string().regex(/^[a-z0-9.-]{1,253}$/))),
  REST_REQUESTS_PER_MINUTE: requestsPerMinute.default(60_000),
  GRAPHQL_REQUESTS_PER_MINUTE: requestsPerMinute.default(1_200_000),
  FAILED_AUTHENTICATIONS_PER_MINUTE: requestsPerMinute.default(1_200),
  OPERATOR_PORTAL: z.enum(['0', '1', 'true', 'false']).optional(),
  MAX_IN_FLIGHT: whole(1, 100_000).default(2_048),
  MAX_CONNECTIONS: whole(1, 1_000_000).default(10_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

const dayMs = 24 * 60 * 60 * 1000

/** An OAuth server whose JWT access tokens are accepted. */
export interface OauthServer {
  readonly issuer: string
  readonly audience: string
}

/** How the databases are worked with; all but `migrations` are for PostgreSQL. */
export interface DatabaseSettings {
  /** Most connections of this process to each database. */
  readonly maxConnections: number
  readonly vaultMaxConnections: number
  /** Whether workers of other processes are woken with `NOTIFY`. */
  readonly notify: boolean
  /** `require`: a start on a schema that is not up to date is refused. */
  readonly migrations: 'apply' | 'require'
  /** Whether a pooler lends a server connection for one transaction. */
  readonly transactionPooler: boolean
}

/** The server's settings, parsed and with their defaults. */
export interface Env {
  readonly production: boolean
  readonly role: 'all' | 'api' | 'secure' | 'worker'
  readonly host: string
  /** Where a process without an internal API serves probes and metrics. Null: on loopback. */
  readonly operationsHost: string | null
  readonly port: number
  readonly internalPort: number
  readonly securePort: number
  readonly dataDir: string
  readonly databaseUrl: string
  readonly vaultDatabaseUrl: string
  /** How both databases are worked with. */
  readonly databases: DatabaseSettings
  /** Largest SQLite file that is read from end to end for damage at the start. */
  readonly sqliteCheckUpToBytes: number
  /** How little may be free on the disks of this process before nothing new is taken. */
  readonly diskSpaceLimits: DiskSpaceLimits
  readonly keyFile: string
  /** Where the heads of the audit logs are witnessed, outside the databases. */
  readonly auditCheckpoints: string
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly tlsTerminatedUpstream: boolean
  readonly externalTokenizer: boolean
  readonly kycProviders: readonly string[]
  readonly submissionPolicy: z.output<typeof policySwitches>
  /** Null: only opaque tokens of the embedded store are accepted. */
  readonly oauth: OauthServer | null
  /** Null in production: the role serves no internal API. */
  readonly internalToken: string | null
  /** Opens the metrics and nothing else. */
  readonly metricsToken: string | null
  /** Where fetched photos are kept. */
  readonly photoStorage: PhotoStorage
  readonly allowLoopbackReceivers: boolean
  readonly deliveryRetryBaseMs: number
  /** What is kept how long of events and deliveries that have ended. */
  readonly retention: { readonly bodyAgeMs: number; readonly attemptAgeMs: number }
  /** Most vault tokens that may enter quarantine in a day although they are more than 1 % of the vault. */
  readonly purgeTokensPerDay: number
  /** Whether a start goes on although the vault lacks values of recorded verifications. */
  readonly allowIncompleteVault: boolean
  /** Names under which this service itself is reached: no webhook endpoint may be on one of them. */
  readonly publicHosts: readonly string[]
  /** Requests per minute of one app to the REST API, and as many at once. */
  readonly restRequestsPerMinute: number
  /** Requests per minute of one user of an app to GraphQL, and as many at once. */
  readonly graphqlRequestsPerMinute: number
  /** Requests per minute of one address without a valid key or token that are answered 401, and as many at once. */
  readonly failedAuthenticationsPerMinute: number
  /** Whether the operator signs in to the portal, with the internal token. */
  readonly operatorPortal: boolean
  /** Requests that are worked on at once; more are answered 503. */
  readonly maxInFlight: number
  /** Connections open at once at each listener; more are closed unheard. */
  readonly maxConnections: number
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

/** Names of every variable that is read: `.env.example` is held against this list. */
export const variableNames: readonly string[] = Object.keys(schema.shape)

/** One or more settings are missing or malformed. Names them, never their values. */
export class EnvError extends Error {
  readonly code = 'ENV_INVALID'
  constructor(readonly problems: readonly string[]) {
    super(`These settings are missing or malformed:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'EnvError'
  }
}

const expectations: Readonly<Record<string, string>> = {
  DATABASE_URL: 'file:<path> or postgres://…',
  VAULT_DATABASE_URL: 'file:<path> or postgres://…',
  INTERNAL_TOKEN: 'at least 16 characters of ASCII, no white space',
  METRICS_TOKEN: 'at least 16 characters of ASCII, no white space',
  OAUTH_ISSUER: 'the https:// address that its tokens name as iss',
  PUBLIC_HOSTS: 'host names separated by commas',
  PHOTO_STORAGE: 'file:<folder> or s3://<bucket>/<prefix>',
  PHOTO_S3_ENDPOINT: 'an https:// address without a path',
  KYC_PROVIDERS: 'names of letters, digits, _ . - separated by commas',
  SUBMISSION_POLICY: `a JSON object of ${Object.keys(policySwitches.shape).join(', ')}`,
}

const auditSchema = schema.pick({
  DATA_DIR: true,
  DATABASE_URL: true,
  VAULT_DATABASE_URL: true,
  DATABASE_TRANSACTION_POOLER: true,
  KEY_FILE: true,
  AUDIT_CHECKPOINTS: true,
})

/** Databases, key file and checkpoints: what verifying the audit log needs of the settings. */
export type AuditEnv = Places & Pick<DatabaseSettings, 'transactionPooler'>

type Places = Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl' | 'keyFile' | 'auditCheckpoints'>

/** Parses the part of the environment that says where things are. All problems are reported at once. */
export function parseAuditEnv(variables: Readonly<Record<string, string | undefined>>): AuditEnv {
  const { value, problems } = parseVariables(auditSchema, variables)
  if (problems.length > 0) throw new EnvError(problems)
  return { ...placesOf(value), transactionPooler: value.DATABASE_TRANSACTION_POOLER }
}

/** Parses the environment. All problems are reported at once. */
export function parseEnv(variables: Readonly<Record<string, string | undefined>>): Env {
  const { value, given, problems } = parseVariables(schema, variables)
  if ((value.TLS_CERT_FILE === undefined) !== (value.TLS_KEY_FILE === undefined)) {
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE: set both or neither')
  }
  if ((given['OAUTH_ISSUER'] === undefined) !== (given['OAUTH_AUDIENCE'] === undefined)) {
    problems.push('OAUTH_ISSUER and OAUTH_AUDIENCE: set both or neither')
  }
  if (value.OAUTH_ISSUER !== undefined && !isIssuer(value.OAUTH_ISSUER, value.NODE_ENV === 'production')) {
    problems.push(`OAUTH_ISSUER: expected ${expectations.OAUTH_ISSUER}`)
  }
  if (value.NODE_ENV === 'production') {
    const servesApi = value.ROLE === 'all' || value.ROLE === 'api'
    const noInternalToken = given['INTERNAL_TOKEN'] === undefined
    if (servesApi && noInternalToken) problems.push('INTERNAL_TOKEN: required in production')
    const opensMetrics = !servesApi && value.OPERATIONS_HOST !== undefined && !isLoopbackAddress(value.OPERATIONS_HOST)
    if (opensMetrics && noInternalToken && given['METRICS_TOKEN'] === undefined) {
      problems.push('METRICS_TOKEN: required where OPERATIONS_HOST is not a loopback address')
    }
    if (value.KEY_FILE === undefined) problems.push('KEY_FILE: required in production, it is never made there')
    const servesSecure = value.ROLE === 'all' || value.ROLE === 'secure'
    const noTls = value.TLS_CERT_FILE === undefined && value.TLS_KEY_FILE === undefined
    if (servesSecure && noTls && !value.TLS_TERMINATED_UPSTREAM) {
      problems.push(
        'TLS_CERT_FILE and TLS_KEY_FILE: required in production, or TLS_TERMINATED_UPSTREAM=1 behind a proxy that ends TLS',
      )
    }
    if (value.ALLOW_LOOPBACK_RECEIVERS) problems.push('ALLOW_LOOPBACK_RECEIVERS: for local development only')
  } else if (!value.ALLOW_NON_LOOPBACK_HOST && !isLoopbackAddress(value.HOST)) {
    problems.push(
      'HOST: outside production it must be a loopback address. Set ALLOW_NON_LOOPBACK_HOST=1 to let other machines connect',
    )
  }
  if (variables.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    problems.push('NODE_TLS_REJECT_UNAUTHORIZED: certificate checks must stay on')
  }
  const photoStorage = photoStorageOf(value)
  if (typeof photoStorage === 'string') problems.push(photoStorage)
  if (problems.length > 0 || typeof photoStorage === 'string') throw new EnvError(problems)
  return {
    production: value.NODE_ENV === 'production',
    role: value.ROLE,
    host: value.HOST,
    operationsHost: value.OPERATIONS_HOST ?? null,
    port: value.PORT,
    internalPort: value.INTERNAL_PORT,
    securePort: value.SECURE_PORT,
    dataDir: value.DATA_DIR,
    ...placesOf(value),
    databases: {
      maxConnections: value.DATABASE_MAX_CONNECTIONS,
      vaultMaxConnections: value.VAULT_DATABASE_MAX_CONNECTIONS,
      notify: value.DATABASE_NOTIFY,
      migrations: value.DATABASE_MIGRATIONS,
      transactionPooler: value.DATABASE_TRANSACTION_POOLER,
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
    tlsTerminatedUpstream: value.TLS_TERMINATED_UPSTREAM,
    externalTokenizer: value.EXTERNAL_TOKENIZER,
    kycProviders: value.KYC_PROVIDERS,
    submissionPolicy: value.SUBMISSION_POLICY,
    oauth:
      value.OAUTH_ISSUER !== undefined && value.OAUTH_AUDIENCE !== undefined
        ? { issuer: value.OAUTH_ISSUER, audience: value.OAUTH_AUDIENCE }
        : null,
    internalToken: value.INTERNAL_TOKEN ?? null,
    metricsToken: value.METRICS_TOKEN ?? null,
    photoStorage,
    allowLoopbackReceivers: value.ALLOW_LOOPBACK_RECEIVERS,
    deliveryRetryBaseMs: value.DELIVERY_RETRY_BASE_MS,
    retention: { bodyAgeMs: value.BODY_RETENTION_DAYS * dayMs, attemptAgeMs: value.ATTEMPT_RETENTION_DAYS * dayMs },
    purgeTokensPerDay: value.PURGE_TOKENS_PER_DAY,
    allowIncompleteVault: value.ALLOW_INCOMPLETE_VAULT,
    publicHosts: value.PUBLIC_HOSTS,
    restRequestsPerMinute: value.REST_REQUESTS_PER_MINUTE,
    graphqlRequestsPerMinute: value.GRAPHQL_REQUESTS_PER_MINUTE,
    failedAuthenticationsPerMinute: value.FAILED_AUTHENTICATIONS_PER_MINUTE,
    operatorPortal:
      value.OPERATOR_PORTAL === undefined
        ? value.NODE_ENV !== 'production'
        : value.OPERATOR_PORTAL === '1' || value.OPERATOR_PORTAL === 'true',
    maxInFlight: value.MAX_IN_FLIGHT,
    maxConnections: value.MAX_CONNECTIONS,
    logLevel: value.LOG_LEVEL,
  }
}

/** Malformed variables are problems, and in `value` as if they were not set: what contradicts what is found beside them. */
function parseVariables<Schema extends z.ZodType>(
  shape: Schema,
  variables: Readonly<Record<string, string | undefined>>,
): { value: z.output<Schema>; given: Readonly<Record<string, string | undefined>>; problems: string[] } {
  // A variable set to nothing (`PORT=`) means the same as one that is not set.
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = shape.safeParse(given)
  if (parsed.success) return { value: parsed.data, given, problems: [] }
  const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))]
  return {
    value: shape.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))),
    given,
    problems: names.map((name) => (expectations[name] ? `${name}: expected ${expectations[name]}` : name)),
  }
}

function placesOf(value: z.output<typeof auditSchema>): Places {
  return {
    databaseUrl: value.DATABASE_URL ?? `file:${value.DATA_DIR}/kyc.db`,
    vaultDatabaseUrl: value.VAULT_DATABASE_URL ?? defaultVaultUrl(value),
    keyFile: value.KEY_FILE ?? `${value.DATA_DIR}/keys.json`,
    auditCheckpoints: value.AUDIT_CHECKPOINTS ?? `${value.DATA_DIR}/audit-checkpoints.jsonl`,
  }
}

/** RFC 8414 §2: HTTPS without query or fragment. HTTP is for an OAuth server on this machine, outside production. */
function isIssuer(text: string, production: boolean): boolean {
  const url = new URL(text)
  return url.search === '' && !text.includes('#') && isAllowedOauthUrl(url, !production)
}

/** With PostgreSQL the vault is where every process finds it; a database of its own is better, and one setting away. */
function defaultVaultUrl({ DATABASE_URL, DATA_DIR }: { DATABASE_URL?: string | undefined; DATA_DIR: string }): string {
  return DATABASE_URL?.startsWith('postgres') ? DATABASE_URL : `file:${DATA_DIR}/vault.db`
}

/** Whether this process sends deliveries. */
export function servesWorker({ role }: Pick<Env, 'role'>): boolean {
  return role === 'all' || role === 'worker'
}
