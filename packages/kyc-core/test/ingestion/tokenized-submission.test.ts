import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppUser, PiiTokenizer, Token } from '@kyc-relay/kyc-core'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { ELSEWHERE, JONAS, MARIA, openFixture, type Fixture } from './ingestion-fixture.js'

const HOUR_MS = 3_600_000
const UNKNOWN_SSN = `tok_ssn_${'0'.repeat(26)}_1120`

/** A submission as it leaves a tokenizing proxy. */
function tokenized(ssn: unknown, documentNumber: unknown, changes: Readonly<Record<string, unknown>> = {}) {
  const submission = sampleSubmission()
  return {
    ...submission,
    person: { ...submission.person, ssn },
    verifications: {
      ...submission.verifications,
      document: { ...submission.verifications.document, documentNumber },
    },
    ...changes,
  }
}

describe.each(['memory', 'sqlite'] as const)('ingestTokenizedSubmission on %s', (kind) => {
  let fixture: Fixture
  let tokens: { readonly ssn: Token; readonly documentNumber: Token }

  async function tokensOf(owner: AppUser, ssn = '078051120') {
    const answers = await fixture.vault.tokenize(owner, [
      { kind: 'ssn', value: ssn },
      { kind: 'document_number', value: 'X1234567', documentClass: 'PASSPORT', issuingCountryCode: 'US' },
    ])
    const [first, second] = answers.map((answer) => (answer.kind === 'record' ? '' : answer.token)) as [Token, Token]
    return { ssn: first, documentNumber: second }
  }

  beforeEach(async () => {
    fixture = await openFixture(kind)
    tokens = await tokensOf(MARIA)
  })
  afterEach(() => fixture.close())

  it('records the tokens it was given', async () => {
    const ingested = await fixture
      .ingestion()
      .ingestTokenizedSubmission(MARIA, tokenized(tokens.ssn, tokens.documentNumber))
    expect(ingested).toMatchObject({ kind: 'recorded', result: { status: 'VERIFIED' } })
    const page = await fixture.verifications.listVerifications(MARIA, { limit: 1 })
    expect(page.items[0]).toMatchObject({
      ssn: { token: tokens.ssn, state: 'VALIDATED' },
      documentNumber: { token: tokens.documentNumber },
    })
  })

  it('records a submission that repeats its tokens in free-form parts', async () => {
    const submission = tokenized(tokens.ssn, tokens.documentNumber, {
      decisionReason: `${tokens.documentNumber} matches ${tokens.ssn}`,
      externalProviderData: { [tokens.documentNumber]: [tokens.ssn, tokens.documentNumber] },
    })
    const { document } = submission.verifications
    const documentData = { number: tokens.documentNumber, ssn: tokens.ssn }
    const verifications = { ...submission.verifications, document: { ...document, documentData } }
    const ingested = await fixture.ingestion().ingestTokenizedSubmission(MARIA, { ...submission, verifications })
    expect(ingested).toMatchObject({ kind: 'recorded' })
  })

  it.each([
    [{ note: 'Found 219-09-9999.' }, '/externalProviderData/note'],
    [{ ssn: '078051120' }, '/externalProviderData/ssn'],
    [{ card: '4111111111111111' }, '/externalProviderData/card'],
  ])('refuses the clear personal data %j in a free-form part', async (externalProviderData, pointer) => {
    const submission = tokenized(tokens.ssn, tokens.documentNumber, { externalProviderData })
    const violations = [expect.objectContaining({ pointer, code: 'CLEAR_PII_IN_FREE_FORM' }) as object]
    expect(await fixture.ingestion().ingestTokenizedSubmission(MARIA, submission)).toMatchObject({ violations })
  })

  it('makes no token of its own', async () => {
    const kinds: string[] = []
    const tokenizer: PiiTokenizer = {
      fingerprint: fixture.vault.fingerprint,
      tokenize(owner, values) {
        kinds.push(...values.map(({ kind }) => kind))
        return fixture.vault.tokenize(owner, values)
      },
    }
    const ingestion = fixture.ingestion({ tokenizer })
    await ingestion.ingestTokenizedSubmission(MARIA, tokenized(tokens.ssn, tokens.documentNumber))
    expect(new Set(kinds)).toEqual(new Set(['record']))
  })

  it('records a submission without tokens, and asks the vault about none', async () => {
    const submission = sampleSubmission({ verifications: { database: { verificationId: 'db-1', status: 'PASSED' } } })
    const person = { ...submission.person, ssn: undefined, ssnLast4: undefined }
    const inspector = { inspect: () => Promise.reject(new Error('nothing to ask')) }
    const ingested = await fixture.ingestion({ inspector }).ingestTokenizedSubmission(MARIA, { ...submission, person })
    expect(ingested).toMatchObject({ kind: 'recorded' })
    expect((await fixture.verifications.listVerifications(MARIA, { limit: 1 })).items[0]).toMatchObject({
      ssn: null,
      documentNumber: null,
    })
  })

  it('answers a replay although the proxy made fresh tokens', async () => {
    const ingestion = fixture.ingestion()
    await ingestion.ingestTokenizedSubmission(MARIA, tokenized(tokens.ssn, tokens.documentNumber))
    const fresh = await tokensOf(MARIA)
    const replay = await ingestion.ingestTokenizedSubmission(MARIA, tokenized(fresh.ssn, fresh.documentNumber))
    expect(replay).toMatchObject({ kind: 'replayed', payloadMatches: true })
  })

  const SSN = '/person/ssn'
  const NUMBER = '/verifications/document/documentNumber'
  it.each([
    ['a clear SSN', () => tokenized('078-05-1120', tokens.documentNumber), [SSN]],
    ['a clear document number', () => tokenized(tokens.ssn, 'X1234567'), [NUMBER]],
    ['both in clear', () => tokenized('078051120', 'X1234567'), [SSN, NUMBER]],
    ['a masked SSN', () => tokenized('***-**-1120', tokens.documentNumber), [SSN]],
    ['an unknown token', () => tokenized(UNKNOWN_SSN, tokens.documentNumber), [SSN]],
    ['swapped fields', () => tokenized(tokens.documentNumber, tokens.ssn), [SSN, NUMBER]],
    [
      'a token with other last four',
      () => {
        const forged = tokenized(tokens.ssn.replace(/1120$/, '1121'), tokens.documentNumber)
        return { ...forged, person: { ...forged.person, ssnLast4: '1121' } }
      },
      [SSN],
    ],
    ['a token in another format', () => tokenized('tok_sandbox_5Hx3', tokens.documentNumber), [SSN]],
    ['the masked form of a document number', () => tokenized(tokens.ssn, '******'), [NUMBER]],
  ])('refuses %s', async (_what, submission, pointers) => {
    fixture.writes.length = 0
    const ingested = await fixture.ingestion().ingestTokenizedSubmission(MARIA, submission())
    const violations =
      ingested.kind === 'refused' ? ingested.violations.filter(({ code }) => code === 'TOKEN_INVALID') : []
    expect(violations.map(({ pointer }) => pointer)).toEqual(pointers)
    expect(fixture.writes).toEqual([])
  })

  it.each([
    ['another user', JONAS],
    ['another app', ELSEWHERE],
  ])('refuses the tokens of %s with the same words as unknown ones', async (_what, owner) => {
    const theirs = await tokensOf(owner)
    const refusal = await fixture
      .ingestion()
      .ingestTokenizedSubmission(MARIA, tokenized(theirs.ssn, theirs.documentNumber))
    const unknown = await fixture
      .ingestion()
      .ingestTokenizedSubmission(MARIA, tokenized(UNKNOWN_SSN, `tok_document_number_${'0'.repeat(26)}`))
    expect(refusal).toEqual(unknown)
    expect(refusal).toMatchObject({ kind: 'refused', code: 'VALIDATION_FAILED' })
  })

  it('compares ssnLast4 with the token', async () => {
    const other = await tokensOf(MARIA, '219099999')
    const ingested = await fixture
      .ingestion()
      .ingestTokenizedSubmission(MARIA, tokenized(other.ssn, tokens.documentNumber))
    expect(ingested).toMatchObject({ kind: 'refused', code: 'SSN_LAST4_MISMATCH' })
  })

  it('takes tokens of up to 24 hours', async () => {
    fixture.advance(24 * HOUR_MS)
    const submission = tokenized(tokens.ssn, tokens.documentNumber)
    expect(await fixture.ingestion().ingestTokenizedSubmission(MARIA, submission)).toMatchObject({ kind: 'recorded' })
  })

  it('refuses older ones', async () => {
    fixture.advance(24 * HOUR_MS + 1)
    const ingested = await fixture
      .ingestion()
      .ingestTokenizedSubmission(MARIA, tokenized(tokens.ssn, tokens.documentNumber, { decisionedAt: null }))
    expect(ingested).toMatchObject({ kind: 'refused', violations: [{ pointer: SSN }, { pointer: NUMBER }] })
  })

  it('refuses one in quarantine', async () => {
    await fixture.vault.quarantine({ tokens: [{ ...MARIA, token: tokens.ssn }], mostInADay: 1 })
    const ingested = await fixture
      .ingestion()
      .ingestTokenizedSubmission(MARIA, tokenized(tokens.ssn, tokens.documentNumber))
    expect(ingested).toMatchObject({ kind: 'refused', violations: [{ pointer: SSN, code: 'TOKEN_INVALID' }] })
  })

  it('refuses a token whose facts in the vault say other last four', async () => {
    const inspector = {
      inspect: async (...args: Parameters<typeof fixture.vault.inspect>) =>
        (await fixture.vault.inspect(...args)).map((fact) => fact && { ...fact, lastFour: fact.lastFour && '9999' }),
    }
    const ingested = await fixture
      .ingestion({ inspector })
      .ingestTokenizedSubmission(MARIA, tokenized(tokens.ssn, tokens.documentNumber))
    expect(ingested).toMatchObject({ kind: 'refused', violations: [{ pointer: SSN }] })
  })

  it('refuses when the vault leaves out an answer', async () => {
    const ingested = await fixture
      .ingestion({ inspector: { inspect: async () => [] } })
      .ingestTokenizedSubmission(MARIA, tokenized(tokens.ssn, tokens.documentNumber))
    expect(ingested).toMatchObject({ kind: 'refused', violations: [{ pointer: SSN }, { pointer: NUMBER }] })
  })

  it('cannot be used without an inspector', async () => {
    const { ingestion, vault, verifications } = fixture
    const closed = ingestion({ tokenizer: vault, verifications, inspector: undefined })
    await expect(closed.ingestTokenizedSubmission(MARIA, sampleSubmission())).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
    })
  })

  it('clear ingestion refuses a token like any other invalid SSN', async () => {
    const ingested = await fixture.ingestion().ingestSubmission(MARIA, tokenized(tokens.ssn, 'X1234567'))
    expect(ingested).toMatchObject({ kind: 'refused', violations: [{ pointer: SSN, code: 'SSN_INVALID' }] })
  })
})
