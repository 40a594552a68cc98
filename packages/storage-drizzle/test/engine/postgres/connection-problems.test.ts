import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestAuthority, type TestAuthority } from '../../../../webhooks/test/https/local/certificates.js'
import { createPostgresStorage, createPostgresVault, StorageError } from '../../../src/postgres/index.js'
import { submission } from '../../samples.js'
import { freePort } from './free-port.js'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js'
import { cipher } from '../../vault/any-cipher.js'

let server: OwnPostgres
let authority: TestAuthority

beforeAll(async () => {
  authority = await createTestAuthority()
  server = await startOwnPostgres(['superuser_reserved_connections=3'])
  await server.ask('CREATE DATABASE kyc')
  await (await createPostgresStorage({ connectionString: server.url({ database: 'kyc' }) })).close()
})
afterAll(() => server.stop())
afterEach(() =>
  server.ask(
    `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT rolname FROM pg_roles WHERE rolname LIKE 'canary%' LOOP
    EXECUTE format('DROP OWNED BY %I', name); EXECUTE format('DROP ROLE %I', name);
  END LOOP; END $$`,
    'kyc',
  ),
)

/** A user with all rights in the database, whose password is its name. */
async function makeUser(changes = 'LOGIN'): Promise<string> {
  await server.ask(`CREATE ROLE canary PASSWORD 'canary' ${changes}`)
  await server.ask(`GRANT ALL ON SCHEMA public TO canary; GRANT ALL ON ALL TABLES IN SCHEMA public TO canary`, 'kyc')
  return server.url({ user: 'canary', database: 'kyc' })
}

/** What the storage, and the vault, refuse to open with. */
async function refusalOf(connectionString: string): Promise<StorageError> {
  const refusals = await Promise.all([
    createPostgresStorage({ connectionString }).catch((error: unknown) => error),
    createPostgresVault({ connectionString }, { cipher }).catch((error: unknown) => error),
  ])
  const [refusal] = refusals
  if (!(refusal instanceof StorageError)) throw new Error('it opened')
  expect(refusals[1]).toMatchObject({ code: refusal.code, cause: refusal.cause, message: refusal.message })
  return refusal
}

const permanent = (cause: string, driverCode: string | null, code = 'DATABASE_UNUSABLE') => ({
  code,
  cause,
  driverCode,
  retryable: false,
})
const passing = (cause: string, driverCode: string | null) => ({
  code: 'STORE_UNAVAILABLE',
  cause,
  driverCode,
  retryable: true,
})

describe('each problem of a connection has its own cause and text', () => {
  const texts = new Map<string, string>()
  const expectOwn = (error: StorageError, expected: ReturnType<typeof permanent>) => {
    expect(error).toMatchObject(expected)
    expect(error.message).toMatch(/^[A-Z].+\.$/)
    expect(error.message).not.toContain('canary')
    for (const [cause, message] of texts) if (cause !== error.cause) expect(error.message).not.toBe(message)
    texts.set(String(error.cause), error.message)
    expect(String(error)).toContain(error.driverCode ?? error.code)
  }

  test('a wrong password', async () => {
    await makeUser()
    const refusal = await refusalOf(server.url({ user: 'canary', password: 'canary-wrong', database: 'kyc' }))
    expectOwn(refusal, permanent('LOGIN_REFUSED', '28P01'))
  })
  test('no such user', async () => {
    expectOwn(await refusalOf(server.url({ user: 'canary' })), permanent('LOGIN_REFUSED', '28P01'))
  })
  test('no password where one is asked for', async () => {
    const url = `postgres://canary@127.0.0.1:${server.port}/kyc`
    const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
    const before = openSockets()
    expectOwn(await refusalOf(url), permanent('LOGIN_REFUSED', null))
    // The server waits a minute for a password, and a process would wait for the server.
    await expect.poll(openSockets).toBe(before)
  })
  test('a user who may not log in', async () => {
    expectOwn(await refusalOf(await makeUser('NOLOGIN')), permanent('LOGIN_REFUSED', '28000'))
  })
  test('no such database', async () => {
    expectOwn(await refusalOf(server.url({ database: 'canary' })), permanent('DATABASE_NOT_FOUND', '3D000'))
  })
  test('a missing right to connect', async () => {
    await makeUser()
    await server.ask('REVOKE CONNECT ON DATABASE kyc FROM PUBLIC')
    const refusal = await refusalOf(server.url({ user: 'canary', database: 'kyc' }))
    await server.ask('GRANT CONNECT ON DATABASE kyc TO PUBLIC')
    expectOwn(refusal, permanent('PERMISSION_MISSING', '42501'))
  })
  test('a missing right on a table', async () => {
    await server.ask(`CREATE ROLE canary LOGIN PASSWORD 'canary'`)
    const refusal = await refusalOf(server.url({ user: 'canary', database: 'kyc' }))
    expectOwn(refusal, permanent('PERMISSION_MISSING', '42501'))
  })
  test('a search_path without a schema', async () => {
    const url = await makeUser()
    await server.ask(`ALTER ROLE canary SET search_path = nowhere`)
    expectOwn(await refusalOf(url), permanent('SCHEMA_NOT_FOUND', '3F000'))
  })
  test.each(['off', 'local'])('synchronous_commit %s', async (value) => {
    const url = await makeUser()
    await server.ask(`ALTER ROLE canary SET synchronous_commit = ${value}`)
    expectOwn(await refusalOf(url), permanent('SYNCHRONOUS_COMMIT', null, 'DURABILITY_NOT_GUARANTEED'))
  })
  test('another style of dates', async () => {
    const url = await makeUser()
    await server.ask(`ALTER ROLE canary SET DateStyle = 'SQL, DMY'`)
    expectOwn(await refusalOf(url), permanent('DATE_STYLE', null))
  })
  test('read-only transactions', async () => {
    const url = await makeUser()
    await server.ask(`ALTER ROLE canary SET default_transaction_read_only = on`)
    const storage = await createPostgresStorage({ connectionString: url }, { notify: false })
    const refusal = await storage.verifications.record(submission('one')).catch((error: unknown) => error)
    await storage.close()
    expectOwn(refusal as StorageError, passing('READ_ONLY', '25006'))
  })
  test('a user without a connection left', async () => {
    expectOwn(await refusalOf(await makeUser('LOGIN CONNECTION LIMIT 0')), passing('TOO_MANY_CONNECTIONS', '53300'))
  })
  test('a server without a connection left', async () => {
    const url = await makeUser()
    const held = await Promise.all(
      Array.from({ length: 37 }, async () => {
        const client = new pg.Client({ connectionString: server.url() })
        await client.connect()
        return client
      }),
    )
    const refusal = await refusalOf(url)
    await Promise.all(held.map((client) => client.end()))
    expectOwn(refusal, passing('TOO_MANY_CONNECTIONS', '53300'))
  })
  test('nobody listening', async () => {
    const url = `postgres://canary:canary@127.0.0.1:${await freePort()}/kyc`
    expectOwn(await refusalOf(url), passing('NOT_LISTENING', 'ECONNREFUSED'))
  })
  test('nobody listening on a socket file', async () => {
    const url = `postgres://canary:canary@/kyc?host=/nowhere`
    expectOwn(await refusalOf(url), passing('NOT_LISTENING', 'ENOENT'))
  })
  test('an unknown host name', async () => {
    const refusal = await refusalOf('postgres://canary:canary@canary.invalid/kyc')
    // Without any name server the lookup fails otherwise: it may work later.
    if (refusal.driverCode === 'EAI_AGAIN') expectOwn(refusal, passing('HOST_LOOKUP_FAILED', 'EAI_AGAIN'))
    else expectOwn(refusal, permanent('HOST_NOT_FOUND', 'ENOTFOUND'))
  })
})

describe('TLS', () => {
  let secure: OwnPostgres
  const use = async (certificate: { certPem: string; keyPem: string }) => {
    secure.write('server.crt', certificate.certPem)
    secure.write('server.key', certificate.keyPem)
    await secure.ask('SELECT pg_reload_conf()')
    // Each new session has the configuration of when it began: one of another certificate would be an old one.
    await secure.ask('SELECT 1')
  }
  const url = (host: string, query: string) => `postgres://postgres:postgres@${host}:${secure.port}/postgres?${query}`
  const trusting = (host = 'localhost') =>
    url(host, `sslmode=verify-full&sslrootcert=${join(secure.dataDir, 'ca.crt')}`)

  beforeAll(async () => {
    secure = await startOwnPostgres()
    const { certPem, keyPem } = await authority.issue({ names: ['localhost'] })
    secure.write('ca.crt', authority.caPem)
    secure.write('server.crt', certPem)
    secure.write('server.key', keyPem)
    await secure.ask('ALTER SYSTEM SET ssl = on')
    await secure.ask('SELECT pg_reload_conf()')
  })
  afterAll(() => secure.stop())

  test('a server whose certificate is trusted is used', async () => {
    const storage = await createPostgresStorage({ connectionString: trusting() })
    const [row] = await secure.ask(`SELECT count(*)::int AS plain FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE NOT ssl AND application_name = 'kyc-relay'`)
    expect(row).toEqual({ plain: 0 })
    await storage.close()
  })
  test('an authority that is not trusted', async () => {
    const refusal = await refusalOf(url('localhost', 'sslmode=verify-full'))
    expect(refusal).toMatchObject(permanent('CERTIFICATE_NOT_TRUSTED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
  })
  test('a certificate for another name', async () => {
    await use(await authority.issue({ names: ['canary.example'] }))
    const refusal = await refusalOf(trusting())
    expect(refusal).toMatchObject(permanent('CERTIFICATE_NAME_MISMATCH', 'ERR_TLS_CERT_ALTNAME_INVALID'))
    expect(refusal.message).not.toContain('canary')
  })
  test.each([
    ['expired', -2, -1, 'CERT_HAS_EXPIRED'],
    ['not valid yet', 1, 2, 'CERT_NOT_YET_VALID'],
  ])('a certificate that is %s', async (_, from, to, driverCode) => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000)
    await use(await authority.issue({ notBefore: day(from), notAfter: day(to) }))
    expect(await refusalOf(trusting())).toMatchObject(permanent('CERTIFICATE_EXPIRED', driverCode))
  })
  test('a server that signed its certificate itself', async () => {
    const other = await createTestAuthority()
    await use(await other.issue())
    expect(await refusalOf(trusting())).toMatchObject(permanent('CERTIFICATE_NOT_TRUSTED', expect.any(String) as never))
  })
  test('a server without TLS', async () => {
    const refusal = await refusalOf(`${server.url({ database: 'kyc' })}?sslmode=verify-full`)
    expect(refusal).toMatchObject(permanent('TLS_NOT_OFFERED', null))
  })
  test('a user whom the server takes by TLS alone', async () => {
    secure.write('pg_hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
    await secure.ask('SELECT pg_reload_conf()')
    const plain = secure.url()
    await expect
      .poll(() => createPostgresStorage({ connectionString: plain }).then((one) => one.close(), String))
      .toContain('LOGIN_REFUSED 28000')
  })
  test('a file of certificates that is not there', async () => {
    const refusal = await refusalOf(url('localhost', 'sslrootcert=/nowhere/canary.crt'))
    expect(refusal).toMatchObject(permanent('TLS_FILE_UNREADABLE', null))
  })
})

describe('a server that does not answer as PostgreSQL', () => {
  let listener: Server
  const listen = async (onConnection: Parameters<typeof createServer>[1]) => {
    listener = createServer(onConnection)
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const address = listener.address()
    return `postgres://canary:canary@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/kyc`
  }
  afterEach(() => new Promise((resolve) => listener.close(resolve)))
  /** An error of the protocol with the fields severity, SQLSTATE and message. */
  const errorWith = (state: string) => {
    const fields = Buffer.from(`SFATAL\0C${state}\0Mcanary\0\0`)
    const head = Buffer.from('E\0\0\0\0')
    head.writeUInt32BE(fields.length + 4, 1)
    return Buffer.concat([head, fields])
  }

  test('it is starting up', async () => {
    const url = await listen((socket) => socket.once('data', () => socket.end(errorWith('57P03'))))
    expect(await refusalOf(url)).toMatchObject(passing('STARTING_OR_STOPPING', '57P03'))
  })
  test('it hangs up', async () => {
    const url = await listen((socket) => socket.once('data', () => socket.destroy()))
    expect(await refusalOf(url)).toMatchObject({ code: 'STORE_UNAVAILABLE', cause: 'CONNECTION_LOST', retryable: true })
  })
  test('it is silent', async () => {
    const sockets = new Set<{ destroy(): unknown }>()
    const url = await listen((socket) => void sockets.add(socket.on('error', () => undefined)))
    expect(await refusalOf(url)).toMatchObject(passing('TIMED_OUT', null))
    for (const socket of sockets) socket.destroy()
  })
})

describe('a connection string that names no server is refused before anything connects', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty string', ''],
    ['a blank', ' '],
    ['no scheme', 'kyc'],
    ['words of libpq', 'host=127.0.0.1 dbname=kyc'],
    ['no host', 'postgres://'],
    ['no host but a database', 'postgres:///kyc'],
    ['an empty host between two', 'postgres://a:5432,,b/kyc'],
    ['another scheme', 'mysql://a/kyc'],
    ['a port that is none', 'postgres://127.0.0.1:canary/kyc'],
    ['a port out of range', 'postgres://127.0.0.1:99999/kyc'],
    ['several hosts as a parameter', 'postgres:///kyc?host=a,b'],
    ['a session that cannot write', 'postgres://a,b/kyc?target_session_attrs=any'],
  ])('%s', async (_, connectionString) => {
    const before = { ...process.env }
    // What pg would fall back to.
    Object.assign(process.env, {
      PGHOST: '127.0.0.1',
      PGPORT: String(server.port),
      PGUSER: 'postgres',
      PGPASSWORD: 'postgres',
    })
    try {
      const refusal = await refusalOf(connectionString as never)
      expect(refusal).toMatchObject(permanent('CONNECTION_STRING_INVALID', null))
    } finally {
      process.env = before
    }
  })

  test.each([0, 1_001, 1.5, NaN])('%d connections are refused', async (maxConnections) => {
    await expect(
      createPostgresStorage({ connectionString: server.url({ database: 'kyc' }), maxConnections }),
    ).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  })
})

describe('while it works', () => {
  test('a session that became read-only is told by name, and not used again', async () => {
    const storage = await createPostgresStorage(
      { connectionString: await makeUser(), maxConnections: 1 },
      { notify: false },
    )
    const sessions = async () =>
      (await server.ask(`SELECT pid FROM pg_stat_activity WHERE usename = 'canary'`)).map(({ pid }) => pid)
    await storage.verifications.record(submission('one'))
    const before = await sessions()
    await server.ask('ALTER SYSTEM SET default_transaction_read_only = on')
    await server.ask('SELECT pg_reload_conf()')
    try {
      // The server takes the setting up when it likes: until then a submission is recorded.
      let tries = 0
      await expect
        .poll(() =>
          storage.verifications.record(submission(`try ${(tries += 1)}`)).then(
            () => null,
            (error: unknown) => error,
          ),
        )
        .toMatchObject(passing('READ_ONLY', '25006'))
    } finally {
      await server.ask('ALTER SYSTEM RESET default_transaction_read_only')
      await server.ask('SELECT pg_reload_conf()')
    }
    await expect
      .poll(() => storage.verifications.record(submission('two')).then(({ kind }) => kind, String))
      .toBe('recorded')
    // The server may still be ending the session that was dropped.
    await expect.poll(sessions).toHaveLength(1)
    expect(await sessions()).not.toEqual(before)
    await storage.close()
  })
})
