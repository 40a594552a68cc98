import { readdirSync, readFileSync } from 'node:fs'
import { DEFAULT_SUBMISSION_POLICY } from '@kyc-relay/kyc-core'
import { describe, expect, it } from 'vitest'
import { EnvError, parseEnv, variableNames } from '../src/env.js'
import { isInternalCaller } from '../src/identity/bearer.js'
import { settings } from '../src/settings.js'

const problemsOf = (variables: Record<string, string>) => {
  try {
    parseEnv(variables)
  } catch (error) {
    if (error instanceof EnvError) return { problems: error.problems, message: error.message }
  }
  return { problems: [], message: '' }
}

/** All that production asks for. */
const production = {
  NODE_ENV: 'production',
  KEY_FILE: '/k',
  INTERNAL_TOKEN: 'x'.repeat(16),
  TLS_TERMINATED_UPSTREAM: '1',
}

describe('the environment', () => {
  it('has no setting that nothing reads', () => {
    const folder = new URL('../src/', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
    const sources = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n')
    // By its own name in `env.ts` and `photo-settings.ts`, also in a pattern, and in camel case everywhere else.
    const camelCase = (name: string) =>
      name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    const isRead = (name: string) =>
      new RegExp(String.raw`\.${name}\b|\b${name}: \w+(?=[, ])|\b${camelCase(name)}\b`).test(sources)
    expect(variableNames.filter((name) => !isRead(name))).toEqual([])
  })

  it('has a default for everything outside production', () => {
    expect(parseEnv({})).toMatchObject({
      production: false,
      role: 'all',
      host: '127.0.0.1',
      port: 4000,
      internalPort: 4001,
      securePort: 4443,
      databaseUrl: 'file:./data/kyc.db',
      vaultDatabaseUrl: 'file:./data/vault.db',
      keyFile: './data/keys.json',
      deliveryRetryBaseMs: 30_000,
      allowLoopbackReceivers: false,
    })
  })

  it('reads a variable set to nothing as not set', () => {
    expect(parseEnv({ PORT: '', KYC_PROVIDERS: '' })).toMatchObject({ port: 4000, kycProviders: [] })
  })

  it('reports all problems at once, by name and never by value', () => {
    const { problems, message } = problemsOf({
      PORT: 'four-thousand-canary',
      ROLE: 'boss-canary',
      INTERNAL_TOKEN: 'canary',
      DATABASE_URL: 'mysql://canary',
      SUBMISSION_POLICY: '["canary"',
      DELIVERY_RETRY_BASE_MS: '0',
    })
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(
      ['DATABASE_URL', 'DELIVERY_RETRY_BASE_MS', 'INTERNAL_TOKEN', 'PORT', 'ROLE', 'SUBMISSION_POLICY'].sort(),
    )
    expect(message).not.toContain('canary')
  })

  it('reports what is malformed beside what is missing and what contradicts, each once', () => {
    const { problems } = problemsOf({
      NODE_ENV: 'production',
      PORT: 'four thousand',
      OAUTH_ISSUER: 'no address',
      OAUTH_AUDIENCE: 'us',
      INTERNAL_TOKEN: 'short',
      TLS_CERT_FILE: '/c',
      PHOTO_STORAGE: 's3://kyc-photos',
    })
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'INTERNAL_TOKEN',
      'KEY_FILE',
      'OAUTH_ISSUER',
      'PHOTO_S3_ACCESS_KEY_ID and PHOTO_S3_SECRET_ACCESS_KEY',
      'PORT',
      'TLS_CERT_FILE and TLS_KEY_FILE',
    ])
  })

  it.each(['0x10', '1e3', ' ', '+1', '-1', '1.5', '4000 ', '65536', '99999999999'])(
    'refuses %j as a port, which Number would take or cut',
    (text) =>
      expect(problemsOf({ PORT: text }).problems).toEqual([
        'PORT: expected a port: a whole number from 1 to 65535, or 0 for any free port. Correct it, or remove it for the default, 4000.',
      ]),
  )

  it.each(variableNames)('says what %s expects', (name) => {
    expect(settings[name as keyof typeof settings].expected).not.toBe('')
  })

  it.each([
    [
      'LOG_LEVEL',
      'loud',
      /: expected one of fatal, error, .*, silent\. Correct it, or remove it for the default, info\.$/,
    ],
    ['RECOVERY_PAUSE_MS', '-1', /: expected a whole number from 0 to 60000\. .* default, 40\.$/],
    ['RECOVERY_PAUSE_MS', '60001', /: expected a whole number from 0 to 60000\. .* default, 40\.$/],
    ['MAX_IN_FLIGHT', '0', /: expected a whole number from 1 to 100000\. .* default, 2048\.$/],
    [
      'DATABASE_URL',
      'mysql://h/d',
      /: expected file:<path> or postgres:\/\/…; a path has no \?\. Correct or remove it\.$/,
    ],
    ['DATABASE_URL', 'file:./data/kyc.db\n', /; a path has no \?\. Correct or remove it\.$/],
    ['DATABASE_URL', 'file:./data/kyc.db?mode=ro', /; a path has no \?\. Correct or remove it\.$/],
    ['VAULT_DATABASE_URL', 'file:./data/vault.db?cache=shared', /; a path has no \?\. Correct or remove it\.$/],
    ['EXTERNAL_TOKENIZER', 'yes', /: expected 1 \(or true\), or 0 \(or false\)\./],
  ])('says of a malformed %s what is expected and what to do', (name, value, text) => {
    const { problems } = problemsOf({ [name]: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(text)
  })

  it('names variables that look like a setting, also beside problems', () => {
    const unknown = ['KEY_FIL: did you mean KEY_FILE?', 'PORTT: did you mean PORT?']
    expect(parseEnv({ PORTT: '1', KEY_FIL: '/k', HOME: '/', PATH: '/bin' }).unknownSettings).toEqual(unknown)
    expect(problemsOf({ ...production, KEY_FILE: '', KEY_FIL: '/canary' }).message).toMatch(
      /KEY_FILE: required in production[^]*unknown:\n {2}- KEY_FIL: did you mean KEY_FILE\?$/,
    )
  })

  it.each([
    ['PROT', 'PORT'],
    ['SECUREPORT', 'SECURE_PORT'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['log_level', 'LOG_LEVEL'],
    ['DATA-DIR', 'DATA_DIR'],
    ['INTERNAL_TOKENS', 'INTERNAL_TOKEN'],
    ['PHOTO_S3_ACCES_KEY_ID', 'PHOTO_S3_ACCESS_KEY_ID'],
    ['OAUTH_ISUSER', 'OAUTH_ISSUER'],
  ])('asks of %s whether %s is meant', (name, meant) => {
    expect(parseEnv({ [name]: 'x' }).unknownSettings).toEqual([`${name}: did you mean ${meant}?`])
  })

  it.each(['INTERNAL_TOKEN', 'DATABASE_URL'])('says of %s_FILE that only a container reads it', (name) => {
    const unknown = [`${name}_FILE: the server reads no such file. Set ${name}.`]
    expect(parseEnv({ [`${name}_FILE`]: '/run/secrets/canary' }).unknownSettings).toEqual(unknown)
  })

  it.each([
    'HOME',
    'PATH',
    'HOSTNAME',
    'POSTGRES_PORT',
    'SSL_CERT_FILE',
    'NODE_OPTIONS',
    'DATABASE',
    'LOGNAME',
    'npm_config_cache',
  ])('leaves %s of another program alone', (name) => expect(parseEnv({ [name]: 'x' }).unknownSettings).toEqual([]))

  it.each([
    ['15 characters', 'fifteen-letters'],
    ['15 characters before =', 'fifteen-letters='],
    ['4,097 characters', 'x'.repeat(4097)],
    ['blanks', 'a token with blanks in it'],
    ['an umlaut', 'a-token-of-the-füll-alphabet'],
    ['other punctuation', 'Str0ng!Passw0rd#2024'],
    ['= in the middle', 'equals=sign-in-the-middle'],
  ])('refuses a token with %s: no request could carry it, or it is too short', (_what, text) =>
    expect(problemsOf({ INTERNAL_TOKEN: text, METRICS_TOKEN: text }).problems).toEqual([
      expect.stringMatching('^INTERNAL_TOKEN: expected 16 to 4,096 letters'),
      expect.stringMatching('^METRICS_TOKEN: expected 16 to 4,096 letters'),
    ]),
  )

  it.each([
    ['the least length', 'sixteen-letters-'],
    ['the greatest length', `${'x'.repeat(4096)}=`],
    ['every kind of character', 'AZaz09-._~+/AZaz09=='],
  ])('accepts an INTERNAL_TOKEN of %s, and so does the internal API', (_what, text) => {
    expect(isInternalCaller(`Bearer ${text}`, parseEnv({ INTERNAL_TOKEN: text }).internalToken)).toBe(true)
  })

  it.each(['PHOTO_S3_ACCESS_KEY_ID', 'PHOTO_S3_SECRET_ACCESS_KEY', 'OAUTH_AUDIENCE'])(
    'refuses a line break at the end of %s, as files have it',
    (name) => {
      const given = { OAUTH_ISSUER: 'https://login.example.com', OAUTH_AUDIENCE: 'us', [name]: 'canary\n' }
      expect(problemsOf(given).problems).toEqual([expect.stringMatching(`^${name}: expected .* white space`)])
    },
  )

  it.each([
    ['another switch', { acceptITIN: true }],
    ['a text for a switch', { acceptItin: 'false' }],
    ['a number for a switch', { strictAddresses: 1 }],
    ['a text for days', { maxDecisionAgeDays: '30' }],
    ['no day', { maxDecisionAgeDays: 0 }],
    ['half a day', { maxDecisionAgeDays: 0.5 }],
    ['providers, which are KYC_PROVIDERS', { providers: ['ACME'] }],
    ['null', { acceptItin: null }],
  ])('refuses a SUBMISSION_POLICY with %s', (_what, policy) => {
    const { problems } = problemsOf({ SUBMISSION_POLICY: JSON.stringify(policy) })
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['SUBMISSION_POLICY'])
  })

  it('says for every switch of the SUBMISSION_POLICY what is expected', () => {
    const [problem = ''] = problemsOf({ SUBMISSION_POLICY: '{"extraCountries":["US"]}' }).problems
    const { providers: _, ...switches } = DEFAULT_SUBMISSION_POLICY
    for (const name of Object.keys(switches)) expect(problem).toContain(name)
    expect(problem).toContain('true or false')
    expect(problem).toContain('XA to XZ')
  })

  it('takes every switch of the SUBMISSION_POLICY', () => {
    const { providers, ...switches } = DEFAULT_SUBMISSION_POLICY
    expect(providers).toEqual([])
    expect(parseEnv({ SUBMISSION_POLICY: JSON.stringify(switches) }).submissionPolicy).toEqual(switches)
    expect(parseEnv({ SUBMISSION_POLICY: '{"acceptItin":true}' }).submissionPolicy).toEqual({ acceptItin: true })
  })

  it.each([
    ['INTERNAL_TOKEN', { INTERNAL_TOKEN: '' }],
    ['INTERNAL_TOKEN', { INTERNAL_TOKEN: '', ROLE: 'api' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'short' }],
    ['OUTBOUND_PROXY', { OUTBOUND_PROXY: 'proxy.internal:3128' }],
    ['OUTBOUND_PROXY', { OUTBOUND_PROXY: 'socks5://proxy.internal:1080' }],
    ['OUTBOUND_PROXY', { OUTBOUND_PROXY: 'http://proxy.internal:3128/path' }],
    ['OUTBOUND_PROXY', { OUTBOUND_PROXY: 'http://kyc:50%off@proxy.internal:3128' }],
    ['KEY_FILE and AUDIT_CHECKPOINTS', { AUDIT_CHECKPOINTS: '/etc/keys.json', KEY_FILE: '/etc/keys.json' }],
    ['METRICS_TOKEN', { INTERNAL_TOKEN: '', ROLE: 'worker', OPERATIONS_HOST: '0.0.0.0' }],
    ['METRICS_TOKEN', { INTERNAL_TOKEN: '', ROLE: 'secure', OPERATIONS_HOST: '10.0.0.5' }],
    ['KEY_FILE', { KEY_FILE: '' }],
    ['ALLOW_LOOPBACK_RECEIVERS', { ALLOW_LOOPBACK_RECEIVERS: '1' }],
    ['TLS_CERT_FILE and TLS_KEY_FILE', { TLS_TERMINATED_UPSTREAM: '' }],
    ['TLS_CERT_FILE and TLS_KEY_FILE', { TLS_TERMINATED_UPSTREAM: '', ROLE: 'secure' }],
  ])('refuses a production start for %s', (name, variables: Record<string, string>) => {
    const { problems } = problemsOf({ ...production, ...variables })
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([name])
  })

  it('keeps photos in the data folder, in another, or in a bucket', () => {
    const keys = { PHOTO_S3_ACCESS_KEY_ID: 'id', PHOTO_S3_SECRET_ACCESS_KEY: 'secret' }
    const storageOf = (variables: Record<string, string>) => parseEnv(variables).photoStorage
    expect(storageOf({ DATA_DIR: '/d' })).toEqual({ kind: 'directory', folder: '/d/photos' })
    expect(storageOf({ PHOTO_STORAGE: 'file:/photos' })).toEqual({ kind: 'directory', folder: '/photos' })
    expect(storageOf({ PHOTO_STORAGE: 's3://kyc-photos/a/b', PHOTO_S3_REGION: 'eu-central-1', ...keys })).toEqual({
      kind: 's3',
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      bucket: 'kyc-photos',
      prefix: 'a/b',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    })
    const local = { PHOTO_STORAGE: 's3://kyc-photos', PHOTO_S3_ENDPOINT: 'http://127.0.0.1:9000', ...keys }
    expect(storageOf(local)).toMatchObject({ endpoint: 'http://127.0.0.1:9000', prefix: '' })
  })

  it.each([
    ['PHOTO_STORAGE', { PHOTO_STORAGE: '/photos' }],
    ['PHOTO_STORAGE', { PHOTO_STORAGE: 's3://' }],
    ['PHOTO_STORAGE', { PHOTO_STORAGE: 's3://Bucket/a?b' }],
    ['PHOTO_S3_ENDPOINT', { PHOTO_S3_ENDPOINT: 'https://s3.example.com/path' }],
    ['PHOTO_S3_ENDPOINT', { PHOTO_S3_ENDPOINT: 'ftp://s3.example.com' }],
    ['PHOTO_S3_ACCESS_KEY_ID and PHOTO_S3_SECRET_ACCESS_KEY', { PHOTO_STORAGE: 's3://kyc-photos' }],
    [
      'PHOTO_S3_ENDPOINT',
      {
        ...production,
        PHOTO_STORAGE: 's3://kyc-photos',
        PHOTO_S3_ENDPOINT: 'http://s3.example.com',
        PHOTO_S3_ACCESS_KEY_ID: 'id',
        PHOTO_S3_SECRET_ACCESS_KEY: 'secret',
      },
    ],
  ])('names %s when photos cannot be kept as it says', (name, variables) => {
    expect(problemsOf(variables).problems.map((problem) => problem.split(':')[0])).toEqual([name])
  })

  it('names all that is wrong with a bucket at once', () => {
    const variables = { ...production, PHOTO_STORAGE: 's3://kyc-photos', PHOTO_S3_ENDPOINT: 'http://s3.example.com' }
    expect(problemsOf(variables).problems.map((problem) => problem.split(':')[0])).toEqual([
      'PHOTO_S3_ACCESS_KEY_ID and PHOTO_S3_SECRET_ACCESS_KEY',
      'PHOTO_S3_ENDPOINT',
    ])
  })

  it.each(['api', 'worker'])('asks for no certificate where ROLE=%s listens without TLS', (role) => {
    expect(parseEnv({ ...production, TLS_TERMINATED_UPSTREAM: '', ROLE: role })).toMatchObject({ role, tls: null })
  })

  it.each(['secure', 'worker'])('asks for no internal token where ROLE=%s serves no internal API', (role) => {
    expect(parseEnv({ ...production, INTERNAL_TOKEN: '', ROLE: role })).toMatchObject({ role, internalToken: null })
    const opened = { INTERNAL_TOKEN: '', ROLE: role, OPERATIONS_HOST: '0.0.0.0', METRICS_TOKEN: 'm'.repeat(16) }
    expect(parseEnv({ ...production, ...opened })).toMatchObject({ operationsHost: '0.0.0.0' })
  })

  it('refuses half a TLS pair and switched-off certificate checks', () => {
    expect(problemsOf({ TLS_CERT_FILE: '/c' }).problems).toHaveLength(1)
    expect(problemsOf({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }).problems).toHaveLength(1)
  })

  it('is described in .env.example, every variable and no other, with the defaults that hold', () => {
    const lines = readFileSync(new URL('../.env.example', import.meta.url), 'utf8').split('\n')
    const named = lines.flatMap((line) => /^#?([A-Z0-9_]+)=/.exec(line)?.[1] ?? [])
    expect([...named].sort()).toEqual([...variableNames].sort())
    const given = Object.fromEntries(
      lines.flatMap((line) => (/^[A-Z0-9_]+=/.test(line) ? [line.split('=') as [string, string]] : [])),
    )
    expect(parseEnv(given)).toEqual(parseEnv({}))
  })
})
