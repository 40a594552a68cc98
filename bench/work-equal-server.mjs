// A server as a good team writes it first: GraphQL Yoga, zod, Drizzle on better-sqlite3 with `synchronous=FULL`. For each
// submission it does the same kind of work. It looks up the access token and validates the person and the sections. It
// seals the SSN and the document number with AES-256-GCM and computes an HMAC fingerprint of each. One durable transaction
// writes everything. It has none of kyc-relay's rules for bad input, no replay of the original answer and no audit chain.
import { createCipheriv, createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import Database from 'better-sqlite3'
import { and, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { blob, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { createSchema, createYoga } from 'graphql-yoga'
import { z } from 'zod'

const [, , certFile, keyFile, databaseFile] = process.argv

const accessTokens = sqliteTable('access_tokens', {
  hash: blob({ mode: 'buffer' }).primaryKey(),
  appId: text().notNull(),
  userId: text().notNull(),
  scopes: text().notNull(),
  expiresAt: integer().notNull(),
})
const users = sqliteTable(
  'users',
  { appId: text().notNull(), userId: text().notNull(), kycStatus: text().notNull() },
  (table) => [primaryKey({ columns: [table.appId, table.userId] })],
)
const verifications = sqliteTable(
  'verifications',
  {
    id: text().primaryKey(),
    appId: text().notNull(),
    userId: text().notNull(),
    externalVerificationId: text().notNull(),
    decision: text().notNull(),
    person: text().notNull(),
    sections: text().notNull(),
    recordedAt: integer().notNull(),
  },
  (table) => [unique().on(table.appId, table.externalVerificationId)],
)
const checks = sqliteTable('checks', {
  id: integer().primaryKey(),
  verificationId: text().notNull(),
  section: text().notNull(),
  name: text().notNull(),
  status: text().notNull(),
})
const statusLog = sqliteTable('status_log', {
  id: integer().primaryKey(),
  userId: text().notNull(),
  verificationId: text().notNull(),
  status: text().notNull(),
  at: integer().notNull(),
})
const vault = sqliteTable('vault', {
  token: text().primaryKey(),
  userId: text().notNull(),
  field: text().notNull(),
  fingerprint: blob({ mode: 'buffer' }).notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
})

const file = new Database(databaseFile)
file.pragma('journal_mode = WAL')
file.pragma('synchronous = FULL')
file.exec(`
  CREATE TABLE access_tokens (hash BLOB PRIMARY KEY, appId TEXT NOT NULL, userId TEXT NOT NULL, scopes TEXT NOT NULL, expiresAt INTEGER NOT NULL) STRICT;
  CREATE TABLE users (appId TEXT NOT NULL, userId TEXT NOT NULL, kycStatus TEXT NOT NULL, PRIMARY KEY (appId, userId)) STRICT;
  CREATE TABLE verifications (id TEXT PRIMARY KEY, appId TEXT NOT NULL, userId TEXT NOT NULL, externalVerificationId TEXT NOT NULL,
    decision TEXT NOT NULL, person TEXT NOT NULL, sections TEXT NOT NULL, recordedAt INTEGER NOT NULL, UNIQUE (appId, externalVerificationId)) STRICT;
  CREATE TABLE checks (id INTEGER PRIMARY KEY, verificationId TEXT NOT NULL, section TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL) STRICT;
  CREATE TABLE status_log (id INTEGER PRIMARY KEY, userId TEXT NOT NULL, verificationId TEXT NOT NULL, status TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE vault (token TEXT PRIMARY KEY, userId TEXT NOT NULL, field TEXT NOT NULL, fingerprint BLOB NOT NULL, sealed BLOB NOT NULL) STRICT;`)
const db = drizzle(file)

const of = sql.placeholder
const findToken = db
  .select()
  .from(accessTokens)
  .where(eq(accessTokens.hash, of('hash')))
  .prepare()
const findExisting = db
  .select({ id: verifications.id })
  .from(verifications)
  .where(
    and(eq(verifications.appId, of('appId')), eq(verifications.externalVerificationId, of('externalVerificationId'))),
  )
  .prepare()
const setStatus = db
  .insert(users)
  .values({ appId: of('appId'), userId: of('userId'), kycStatus: of('kycStatus') })
  .onConflictDoUpdate({ target: [users.appId, users.userId], set: { kycStatus: sql`excluded.kycStatus` } })
  .prepare()

const sealKey = randomBytes(32)
const fingerprintKey = randomBytes(32)
function seal(userId, field, value) {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKey, iv)
  const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
  const fingerprint = createHmac('sha256', fingerprintKey).update(`${field}\0${value}`).digest()
  return { token: `tok_${randomBytes(16).toString('hex')}`, userId, field, fingerprint, sealed }
}

const short = z.string().min(1).max(200)
const checkList = z
  .array(z.object({ name: short, status: z.enum(['PASSED', 'FAILED']) }))
  .max(100)
  .optional()
const section = z.object({ verificationId: short, status: z.enum(['PASSED', 'FAILED']), checks: checkList })
const Submission = z.object({
  schemaVersion: z.literal('1.0'),
  externalVerificationProvider: z.literal('CUSTOM'),
  externalVerificationId: short,
  decision: z.enum(['PASSED', 'FAILED']),
  decisionedAt: z.iso.datetime().optional(),
  person: z.object({
    firstName: short,
    middleName: short.optional(),
    lastName: short,
    dateOfBirth: z.iso.date(),
    ssn: z.string().regex(/^\d{3}-\d{2}-\d{4}$/),
    ssnLast4: z.string().regex(/^\d{4}$/),
    phoneNumber: z.e164().optional(),
    emailAddress: z.email().optional(),
    address: z.object({
      streetLine1: short,
      city: short,
      subdivision: short,
      postalCode: short,
      countryCode: z.string().length(2),
    }),
  }),
  verifications: z.object({
    document: section
      .extend({
        documentClass: short,
        documentNumber: short,
        issuingCountryCode: short,
        issuingSubdivision: short,
        expirationDate: z.iso.date(),
        confidenceScore: z.number(),
      })
      .optional(),
    ssn: section.extend({ source: short }).optional(),
  }),
  externalProviderData: z.record(z.string(), z.unknown()).optional(),
})

/** Everything of one submission, in one transaction. */
const record = (caller, submission) =>
  db.transaction(
    (tx) => {
      const existing = findExisting.get({
        appId: caller.appId,
        externalVerificationId: submission.externalVerificationId,
      })
      if (existing !== undefined) return existing.id
      const id = randomUUID()
      const at = Date.now()
      const { ssn, ...person } = submission.person
      const { document } = submission.verifications
      const rows = [seal(caller.userId, 'ssn', ssn)]
      if (document !== undefined) rows.push(seal(caller.userId, 'document_number', document.documentNumber))
      tx.insert(vault).values(rows).run()
      const sections = { ...submission.verifications, document: { ...document, documentNumber: rows[1]?.token } }
      tx.insert(verifications)
        .values({
          id,
          ...caller,
          externalVerificationId: submission.externalVerificationId,
          decision: submission.decision,
          person: JSON.stringify({ ...person, ssn: rows[0].token }),
          sections: JSON.stringify(sections),
          recordedAt: at,
        })
        .run()
      const all = Object.entries(submission.verifications).flatMap(([name, { checks: list = [] }]) =>
        list.map((check) => ({ verificationId: id, section: name, ...check })),
      )
      if (all.length > 0) tx.insert(checks).values(all).run()
      setStatus.run({ ...caller, kycStatus: 'PASS' })
      tx.insert(statusLog).values({ userId: caller.userId, verificationId: id, status: 'PASS', at }).run()
      return id
    },
    { behavior: 'immediate' },
  )

const yoga = createYoga({
  graphqlEndpoint: '/api/v1/graphql',
  graphiql: false,
  landingPage: false,
  logging: false,
  schema: createSchema({
    typeDefs: `
      scalar JSON
      type Query { viewer: String }
      type Mutation {
        postKycVerification(schemaVersion: String!, externalVerificationProvider: String!, externalVerificationId: String!,
          decision: String!, decisionReason: String, decisionedAt: String, person: JSON!, verifications: JSON!,
          externalProviderData: JSON): PostKycVerificationResponse
      }
      type PostKycVerificationResponse { status: String!, verificationId: String!, message: String! }`,
    resolvers: {
      Mutation: {
        postKycVerification(_, input, { request }) {
          const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
          const grant = findToken.get({ hash: createHash('sha256').update(token).digest() })
          if (grant === undefined || grant.expiresAt < Date.now() || !grant.scopes.includes('VERIFY_KYC')) {
            throw new Error('UNAUTHENTICATED')
          }
          const verificationId = record({ appId: grant.appId, userId: grant.userId }, Submission.parse(input))
          return { status: 'VERIFIED', verificationId, message: 'The user is verified.' }
        },
      },
    },
  }),
})

const tokens = Array.from({ length: 6 }, () => randomBytes(32).toString('base64url'))
const appId = randomUUID()
for (const token of tokens) {
  const hash = createHash('sha256').update(token).digest()
  const grant = { appId, userId: randomUUID(), scopes: 'VERIFY_KYC', expiresAt: Date.now() + 3_600_000 }
  db.insert(accessTokens)
    .values({ hash, ...grant })
    .run()
}

const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
const plain = await listen(createServer({ keepAliveTimeout: 60_000 }, yoga))
const secure = await listen(createTlsServer({ keepAliveTimeout: 60_000, ...tls }, yoga))
process.send({ plain, secure, tokens })
process.on('disconnect', () => process.exit(0))
