import { readFileSync } from 'node:fs'
import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createSqliteVault } from '@kyc-relay/storage-drizzle/sqlite'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer({ EXTERNAL_TOKENIZER: '1' })
})
afterAll(() => server.stop())

type User = { readonly appId: string; readonly userId: string; readonly accessToken: string }
const user = (index: number): User => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}

/** What a tokenizing proxy in front does, with the vault of the running server. */
async function tokenize({ appId, userId }: User): Promise<{ ssn: string; documentNumber: string }> {
  const keys = parseKeyFile(readFileSync(`${server.dataDir}/keys.json`, 'utf8'))
  const vault = await createSqliteVault({ path: `${server.dataDir}/vault.db` }, { cipher: createLocalCipher({ keys }) })
  const answers = await vault.tokenize({ appId, userId }, [
    { kind: 'ssn', value: '078-05-1120' },
    { kind: 'document_number', value: 'X1234567', documentClass: 'PASSPORT', issuingCountryCode: 'US' },
  ])
  await vault.close()
  const [ssn, documentNumber] = answers.map((answer) => (answer.kind === 'record' ? '' : answer.token))
  return { ssn: ssn ?? '', documentNumber: documentNumber ?? '' }
}

/** A submission with an SSN and a document number in it, as they are given. */
const variablesWith = (pii: { ssn: unknown; documentNumber: unknown }): Record<string, unknown> => {
  const good = submissionVariables()
  return {
    ...good,
    person: {
      ...(good.person as object),
      ssn: pii.ssn,
      ssnLast4: typeof pii.ssn === 'string' && pii.ssn.startsWith('tok_ssn') ? pii.ssn.slice(-4) : '1120',
    },
    verifications: {
      ...(good.verifications as object),
      document: {
        verificationId: 'doc-1',
        status: 'PASSED',
        documentClass: 'PASSPORT',
        documentNumber: pii.documentNumber,
        issuingCountryCode: 'US',
      },
    },
  }
}
const submit = (variables: Record<string, unknown>, token: string | null, host: 'api' | 'secure' = 'api') =>
  server.graphql(host, { query: submissionDocument, variables }, { token })

describe('behind an external tokenizer the standard API', () => {
  it('takes tokens, sets the status, and answers a replay with fresh tokens of the same values', async () => {
    const variables = variablesWith(await tokenize(user(0)))
    const first = await submit(variables, user(0).accessToken)
    expect(first.json.data.postKycVerification.status).toBe('VERIFIED')
    const read = await server.graphql('api', { query: '{viewer{kycStatus}}' }, { token: user(0).accessToken })
    expect(read.json.data.viewer.kycStatus).toBe('PASS')
    const again = await tokenize(user(0))
    const replay = await submit(
      { ...variablesWith(again), externalVerificationId: variables.externalVerificationId },
      user(0).accessToken,
    )
    expect(replay.json.data).toEqual(first.json.data)
    expect(replay.json.extensions).toEqual({ idempotency: { replayed: true, payloadMatches: true } })
  })

  it.each([
    ['absent', {}],
    ['null', { ssn: null, ssnLast4: null }],
    ['empty', { ssn: '', ssnLast4: '' }],
  ])('takes a submission whose SSN is %s', async (_how, given) => {
    const { ssn: _ssn, ssnLast4: _last4, ...rest } = submissionVariables().person as Record<string, unknown>
    const person = { ...rest, ...given }
    const verifications = { database: { verificationId: 'db-1', status: 'PASSED' } }
    const answer = await submit(submissionVariables({ person, verifications }), user(1).accessToken)
    expect(answer.json.errors).toBeUndefined()
    expect(answer.json.data.postKycVerification.status).toMatch(/^(?:ALREADY_)?VERIFIED$/)
  })

  it.each([
    ['a clear SSN', 'ssn', '078-05-1120'],
    ['a clear SSN without dashes', 'ssn', '078051120'],
    ['an SSN that is neither', 'ssn', 'none'],
    ['an SSN that is a number', 'ssn', 78051120],
    ['a token with a digit too few', 'ssn', `tok_ssn_${'a'.repeat(25)}_1120`],
    ['a clear document number', 'documentNumber', 'X1234567'],
    ['a document number that is a number', 'documentNumber', 1234567],
  ])('still refuses %s', async (_name, field, value) => {
    const answer = await submit(variablesWith({ ...(await tokenize(user(2))), [field]: value }), user(2).accessToken)
    expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([200, 'PII_NOT_TOKENIZED'])
  })

  it.each([
    ['of another user', async () => tokenize(user(3))],
    ['of another app', async () => tokenize(server.demo.users.find((one) => one.appId !== user(2).appId) as User)],
    [
      'that were never made',
      async () => ({ ssn: `tok_ssn_${'a'.repeat(26)}_1120`, documentNumber: `tok_document_number_${'a'.repeat(26)}` }),
    ],
    [
      'with other characters in them',
      async () => {
        const { ssn, documentNumber } = await tokenize(user(2))
        const other = documentNumber.endsWith('0') ? '1' : '0'
        return { ssn: `${ssn.slice(0, -4)}1121`, documentNumber: `${documentNumber.slice(0, -1)}${other}` }
      },
    ],
    [
      'older than a day',
      async () => {
        const tokens = await tokenize(user(2))
        const database = new Database(`${server.dataDir}/vault.db`)
        const old = Date.now() - 25 * 60 * 60 * 1000
        database
          .prepare('update kyc_relay_vault_tokens set created_at = ? where token in (?, ?)')
          .run(old, tokens.ssn, tokens.documentNumber)
        database.close()
        return tokens
      },
    ],
    [
      'each in the place of the other',
      async () => {
        const { ssn, documentNumber } = await tokenize(user(2))
        return { ssn: documentNumber, documentNumber: ssn }
      },
    ],
  ])('refuses tokens %s', async (_name, tokens) => {
    const answer = await submit(variablesWith(await tokens()), user(2).accessToken)
    expect(answer.json.data).toEqual({ postKycVerification: null })
    const { code, violations } = answer.json.errors[0].extensions
    expect(code).toBe('VALIDATION_FAILED')
    expect((violations as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/person/ssn',
      '/verifications/document/documentNumber',
    ])
    for (const violation of violations as { code: string }[]) expect(violation.code).toBe('TOKEN_INVALID')
    const read = await server.graphql('api', { query: '{viewer{kycStatus}}' }, { token: user(2).accessToken })
    expect(read.json.data.viewer.kycStatus).toBe('UNVERIFIED')
  })

  it('refuses a caller without VERIFY_KYC', async () => {
    const without = server.demo.users.find((one) => !one.scopes.includes('VERIFY_KYC')) as User
    const answer = await submit(variablesWith(await tokenize(without)), without.accessToken)
    expectGraphqlRefusal(answer, 403, 'FORBIDDEN')
    expect(answer.headers['www-authenticate']).toContain('insufficient_scope')
  })

  it('leaves the dry run and clear submissions to the secure endpoint', async () => {
    const query = submissionDocument
      .replace('postKycVerification', 'validateKycVerification')
      .replace('status verificationId message', 'valid')
    const body = { query, variables: variablesWith(await tokenize(user(4))) }
    const dryRun = await server.graphql('api', body, { token: user(4).accessToken })
    expect(dryRun.json.errors[0].extensions.code).toBe('SECURE_ENDPOINT_REQUIRED')
    const clear = await submit(submissionVariables(), user(4).accessToken, 'secure')
    expect(clear.json.data.postKycVerification.status).toBe('VERIFIED')
  })
})
