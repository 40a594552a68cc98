import { eventSettings } from './events/event-settings.js'
import { kycProviders, submissionPolicy } from './submissions/policy-settings.js'
import { photoSettings } from './photos/photo-settings.js'
import {
  bearerToken,
  databaseUrl,
  filePath,
  flag,
  oneOf,
  optional,
  port,
  requestsPerMinute,
  setting,
  text,
  url,
  whole,
  type Setting,
} from './setting-types.js'

const processAndAddresses = {
  NODE_ENV: setting(
    oneOf('development', 'test', 'production'),
    'development',
    'development | test | production. In production the server generates nothing: give KEY_FILE, INTERNAL_TOKEN for the internal API, and TLS for the secure endpoint.',
  ),
  ROLE: setting(
    oneOf('all', 'api', 'secure', 'worker'),
    'all',
    'all | api (standard and internal API) | secure (only the secure endpoint) | worker (only deliveries and photos)',
  ),
  HOST: setting(text, '127.0.0.1', 'Address of the standard API and the secure endpoint.'),
  ALLOW_NON_LOOPBACK_HOST: setting(
    flag,
    '0',
    "Outside production the server refuses a HOST that is not a loopback address, because the demo's keys are for this machine. 1: accept such a HOST, so that other machines can connect. Production does not read this setting.",
  ),
  PORT: setting(port, '4000', 'Port of the standard API.'),
  INTERNAL_PORT: setting(
    port,
    '4001',
    'Port of the internal API, always on loopback. Roles without it serve probes and metrics here.',
  ),
  OPERATIONS_HOST: optional(
    text,
    'Address of probes and metrics with ROLE=secure and ROLE=worker, on INTERNAL_PORT. Default: loopback. On other addresses metrics need METRICS_TOKEN or INTERNAL_TOKEN. Other roles serve probes and metrics on HOST and on the internal API.',
    { example: '0.0.0.0' },
  ),
  SECURE_PORT: setting(port, '4443', 'Port of the secure endpoint, TLS.'),
} as const

const database = 'file:<path> or postgres://…'

const dataAndKeys = {
  DATA_DIR: setting(text, './data', 'Folder for the databases, keys, certificates and demo.json of a local start.'),
  DATABASE_URL: optional(
    databaseUrl,
    `${database}. Default: kyc.db in DATA_DIR. With PostgreSQL any number of processes can run.`,
    { example: 'file:./data/kyc.db', expected: `${database}; a path has no ?` },
  ),
  VAULT_DATABASE_URL: optional(
    databaseUrl,
    `Database of the vault, ${database}. Default: vault.db in DATA_DIR; with PostgreSQL, DATABASE_URL.`,
    { example: 'file:./data/vault.db', expected: `${database}; a path has no ?` },
  ),
  DATABASE_MAX_CONNECTIONS: setting(
    whole(2, 1_000),
    '10',
    'Connections of this process to the PostgreSQL database, at most. The sum over all processes must fit into max_connections.',
  ),
  VAULT_DATABASE_MAX_CONNECTIONS: setting(
    whole(2, 1_000),
    '10',
    'Connections of this process to the PostgreSQL database of the vault, at most.',
  ),
  DATABASE_MIGRATIONS: setting(
    oneOf('apply', 'require'),
    'apply',
    'apply: apply migrations at the start. require: refuse to start if the schema is not up to date.',
  ),
  DATABASE_NOTIFY: setting(flag, '1', '0: do not wake other processes with NOTIFY. They find due work by polling.'),
  DATABASE_TRANSACTION_POOLER: setting(
    flag,
    '0',
    '1: for a pooler such as PgBouncer in transaction mode. The server then uses no startup parameters, named statements, session state or LISTEN.',
  ),
  DATABASE_DISTRIBUTED: setting(
    flag,
    '0',
    '1: distribute.sql has distributed the PostgreSQL tables of both databases over the nodes of Citus.',
  ),
  SQLITE_CHECK_UP_TO_MB: setting(
    whole(0, 1_000_000),
    '256',
    'Largest SQLite file, in MiB, that the server reads for damage at each start. 0: none. 256 MiB in memory take half a second.',
  ),
  MIN_FREE_DISK_PERCENT: setting(
    whole(0, 100),
    '5',
    'While a disk with a database or photos has less free space than this and MIN_FREE_DISK_MB, the server accepts nothing new and answers 503. 0: never.',
  ),
  MIN_FREE_DISK_MB: setting(whole(0, 1_000_000_000), '1024', 'In MiB; see MIN_FREE_DISK_PERCENT. 0: never.'),
  KEY_FILE: optional(
    filePath,
    'Default: keys.json in DATA_DIR, created at the first local start (mode 0600). Required in production.',
    { example: '/etc/kyc-relay/keys.json' },
  ),
  AUDIT_CHECKPOINTS: optional(
    filePath,
    'File to which the worker appends checkpoints of the audit log every five minutes, JSON lines. Use another machine or write-once storage. Default: audit-checkpoints.jsonl in DATA_DIR.',
    { example: '/mnt/write-once/audit-checkpoints.jsonl' },
  ),
} as const

const submissions = {
  TLS_CERT_FILE: optional(
    filePath,
    'Certificate of the secure endpoint, PEM. On loopback the server creates a local CA instead.',
    { example: '/etc/kyc-relay/tls.pem' },
  ),
  TLS_KEY_FILE: optional(filePath, 'Key of that certificate, PEM. Set both or neither.', {
    example: '/etc/kyc-relay/tls-key.pem',
  }),
  TLS_TERMINATED_UPSTREAM: setting(flag, '0', '1: a proxy in front of the secure endpoint ends TLS.'),
  EXTERNAL_TOKENIZER: setting(
    flag,
    '0',
    '1: an external proxy tokenizes submissions, and the standard API accepts its tokens.',
  ),
  KYC_PROVIDERS: optional(
    kycProviders,
    'Names allowed as externalVerificationProvider beside CUSTOM, separated by commas.',
    {
      example: 'PROVIDER_1,PROVIDER_2,PROVIDER_3',
      expected: 'names of letters, digits, _ . - separated by commas',
    },
  ),
  SUBMISSION_POLICY: optional(submissionPolicy.type, 'Switches of SubmissionPolicy, as JSON.', {
    example: '{"acceptItin":true}',
    expected: submissionPolicy.expected,
  }),
} as const

const token = '16 to 4,096 letters, digits and - . _ ~ + /, and = only at the end'

const callers = {
  OAUTH_ISSUER: optional(
    url,
    'An OAuth server whose JWT access tokens (RFC 9068) are accepted beside the embedded opaque tokens: the iss of its tokens. Set OAUTH_AUDIENCE too.',
    { example: 'https://login.example.com', expected: 'the https:// address that its tokens name as iss' },
  ),
  OAUTH_AUDIENCE: optional(
    text
      .max(500)
      .regex(/^\S(?:.*\S)?$/s)
      .describe('a text of at most 500 characters, without white space around it'),
    "This server's name in the aud of those tokens.",
    {
      example: 'https://kyc.example.com',
    },
  ),
  INTERNAL_TOKEN: optional(
    bearerToken,
    'Opens the internal API. 16 to 4,096 letters, digits and - . _ ~ + /, and = only at the end. Created at the first local start. Required in production if the role has an internal API (all, api).',
    { expected: token },
  ),
  OPERATORS_FILE: optional(
    filePath,
    'JSON file of the people who operate the service: name, hash of a token, rights. Read at the start by roles with an internal API. See docs/operate.md.',
    { example: '/etc/kyc-relay/operators.json' },
  ),
  METRICS_TOKEN: optional(
    bearerToken,
    'Opens only GET /metrics, for a scraper. 16 to 4,096 letters, digits and - . _ ~ + /, and = only at the end.',
    { expected: token },
  ),
} as const

const vault = {
  PURGE_TOKENS_PER_DAY: setting(
    whole(100, 1_000_000),
    '100',
    'Vault tokens without a verification are quarantined for 30 days and then destroyed. The purge refuses to quarantine more than this number in a day if they are also more than 1 % of the vault. 100 to 1000000.',
  ),
  ALLOW_INCOMPLETE_VAULT: setting(
    flag,
    '0',
    '1: start although the vault lacks data keys or tokens of recorded verifications. Their values are lost.',
  ),
} as const

const limitsAndPortal = {
  REST_REQUESTS_PER_MINUTE: setting(
    requestsPerMinute,
    '60000',
    'Requests per minute of one app to the REST API. The same number may come at once.',
  ),
  GRAPHQL_REQUESTS_PER_MINUTE: setting(
    requestsPerMinute,
    '1200000',
    'Requests per minute of one user of an app to GraphQL. The same number may come at once.',
  ),
  FAILED_AUTHENTICATIONS_PER_MINUTE: setting(
    requestsPerMinute,
    '1200',
    'Requests per minute of one address without a valid key or token. Further ones get 429 instead of 401.',
  ),
  EVIDENCE_REQUESTS_PER_MINUTE: setting(
    requestsPerMinute,
    '120',
    'Records, photos, exports and pages of duplicates per minute that one operator, or all services together, can open on the internal API. The same number may come at once.',
  ),
  MAX_IN_FLIGHT: setting(
    whole(1, 100_000),
    '2048',
    'Open requests of one process, at most; it handles 512 of them at once. Further ones get 503 with Retry-After before any work.',
  ),
  MAX_CONNECTIONS: setting(
    whole(1, 1_000_000),
    '10000',
    'Open connections of each listener, at most, idle ones included. The server closes further ones. Each takes a file descriptor (ulimit -n).',
  ),
  LOG_LEVEL: setting(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'fatal | error | warn | info | debug | trace | silent',
  ),
} as const

/** All settings by name. `npm run reference` writes `.env.example` and the page of settings from this table. */
export const settings = {
  ...processAndAddresses,
  ...dataAndKeys,
  ...submissions,
  ...callers,
  ...photoSettings,
  ...eventSettings,
  ...vault,
  ...limitsAndPortal,
}

/**
 * The settings in groups, for pages.
 *
 * @public `scripts/write-reference.mjs` reads them.
 */
export const settingGroups: readonly (readonly [title: string, group: Readonly<Record<string, Setting>>])[] = [
  ['Process and addresses', processAndAddresses],
  ['Databases, disks and keys', dataAndKeys],
  ['Submissions', submissions],
  ['Callers', callers],
  ['Photos', photoSettings],
  ['Events', eventSettings],
  ['Vault', vault],
  ['Limits, portal and log', limitsAndPortal],
]
