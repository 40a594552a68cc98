import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DETAILS_PART } from '../../src/tokenization/tokenize-submission.js'
import { createIngestion, KycError, type Ingested, type VerificationStore } from '@kyc-relay/kyc-core'
import { photoPart } from '@kyc-relay/kyc-core/internal'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { ELSEWHERE, JONAS, MARIA, NOW, openFixture, type Fixture } from './ingestion-fixture.js'

const AUDITED = { actor: 'officer-7', purpose: 'case-42' }
const PRESERVED = 'The verification was recorded. The user was already verified; the existing status was preserved.'

function withAddress(countryCode: string, changes: Readonly<Record<string, unknown>> = {}) {
  const submission = sampleSubmission(changes)
  const { streetLine1, city } = submission.person.address
  const address = countryCode === 'US' ? submission.person.address : { streetLine1, city, countryCode }
  return { ...submission, person: { ...submission.person, address } }
}

function resultOf(ingested: Ingested) {
  if (ingested.kind === 'refused') throw new Error(`refused: ${ingested.code}`)
  return ingested.result
}

describe.each(['memory', 'sqlite'] as const)('ingestSubmission on %s', (kind) => {
  let fixture: Fixture
  beforeEach(async () => {
    fixture = await openFixture(kind)
  })
  afterEach(() => fixture.close())

  describe('the transitions of the contract', () => {
    const failed = { decision: 'FAILED' }
    it.each([
      ['unverified, PASSED, US', [], ['US', {}], 'VERIFIED', 'PASS'],
      ['unverified, PASSED, elsewhere', [], ['NO', {}], 'VERIFIED', 'PASS_INTERNATIONAL'],
      ['unverified, PASSED, a territory as state of the US', [], ['US', {}], 'VERIFIED', 'PASS'],
      ['unverified, PASSED, a territory as country', [], ['PR', {}], 'VERIFIED', 'PASS_INTERNATIONAL'],
      ['PASS, PASSED, US', [['US', {}]], ['US', {}], 'ALREADY_VERIFIED', 'PASS'],
      ['PASS, PASSED, elsewhere', [['US', {}]], ['NO', {}], 'ALREADY_VERIFIED', 'PASS'],
      ['PASS_INTERNATIONAL, PASSED, US', [['NO', {}]], ['US', {}], 'ALREADY_VERIFIED', 'PASS_INTERNATIONAL'],
      ['unverified, FAILED', [], ['US', failed], 'DECLINED', 'UNVERIFIED'],
      ['PASS, FAILED', [['US', {}]], ['US', failed], 'DECLINED', 'PASS'],
      ['PASS_INTERNATIONAL, FAILED', [['NO', {}]], ['NO', failed], 'DECLINED', 'PASS_INTERNATIONAL'],
      ['FAILED before, PASSED', [['US', failed]], ['US', {}], 'VERIFIED', 'PASS'],
    ] as const)('%s', async (_what, before, [country, changes], status, next) => {
      const ingestion = fixture.ingestion()
      for (const [index, [earlier, earlierChanges]] of before.entries()) {
        await ingestion.ingestSubmission(
          MARIA,
          withAddress(earlier, { ...earlierChanges, externalVerificationId: `before-${index}` }),
        )
      }
      const ingested = await ingestion.ingestSubmission(MARIA, withAddress(country, changes))
      const result = resultOf(ingested)
      expect(ingested.kind).toBe('recorded')
      expect(result.status).toBe(status)
      expect(result.verificationId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
      if (status === 'ALREADY_VERIFIED') expect(result.message).toBe(PRESERVED)
      expect(await fixture.verifications.findKycStatus(MARIA.userId)).toBe(next)
      expect(await fixture.verifications.findVerification(MARIA, result.verificationId)).toMatchObject({ result })
    })
  })

  it('records what the service works with in clear, and nothing else', async () => {
    const submission = sampleSubmission()
    const photos = { front: 'https://photos.example.com/f', selfie: 'https://photos.example.com/s' }
    const database = {
      verificationId: 'db-1',
      status: 'FAILED',
      checks: [
        { name: 'watchlist', status: 'FAILED', reasons: ['possible match'] },
        { name: 'face_match', status: 'FAILED' },
        { name: 'watchlist', status: 'FAILED' },
      ],
    }
    const document = { ...submission.verifications.document, photos }
    const verifications = { database, ssn: submission.verifications.ssn, document }
    const ingested = await fixture.ingestion().ingestSubmission(MARIA, { ...submission, verifications })
    const record = await fixture.verifications.findVerification(MARIA, resultOf(ingested).verificationId)
    const { sealedDetails, ssn, documentNumber, ...clear } = record ?? {}
    expect(clear).toEqual({
      verificationId: resultOf(ingested).verificationId,
      ...MARIA,
      externalVerificationId: 'attempt-0001',
      externalVerificationProvider: 'CUSTOM',
      schemaVersion: '1.0',
      decision: 'PASSED',
      decisionedAt: new Date('2026-01-05T10:00:00.000Z'),
      recordedAt: NOW,
      countryCode: 'US',
      result: resultOf(ingested),
      sections: [
        { section: 'document', verificationId: 'doc-0001', status: 'PASSED' },
        { section: 'ssn', verificationId: 'ssn-0001', status: 'PASSED' },
        { section: 'database', verificationId: 'db-1', status: 'FAILED' },
      ],
      checks: [
        { section: 'document', name: 'document_authenticity', status: 'PASSED' },
        { section: 'document', name: 'face_match', status: 'PASSED' },
        { section: 'document', name: 'nfc_chip', status: 'NOT_APPLICABLE' },
        { section: 'database', name: 'watchlist', status: 'FAILED' },
        { section: 'database', name: 'face_match', status: 'FAILED' },
        { section: 'database', name: 'watchlist', status: 'FAILED' },
      ],
      declineCodes: ['watchlist', 'face_match'],
      statusLog: { previous: 'UNVERIFIED', next: 'PASS', at: NOW },
    })
    expect(ssn?.state).toBe('VALIDATED')
    expect(ssn?.token).toMatch(/^tok_ssn_\w{34}_1120$/)
    expect(documentNumber?.token).toMatch(/^tok_document_number_\w{34}$/)
    const sealed = sealedDetails ?? new Uint8Array()
    const recordId = resultOf(ingested).verificationId
    const details = await fixture.vault.openRecord({ owner: MARIA, recordId, part: DETAILS_PART, sealed, ...AUDITED })
    expect(JSON.parse(details)).toEqual({
      person: { ...submission.person, ssn: undefined },
      verifications: {
        document: { ...document, documentNumber: undefined, photos: undefined },
        ssn: verifications.ssn,
        database,
      },
      decisionReason: submission.decisionReason,
      externalProviderData: submission.externalProviderData,
    })
    expect(details).not.toMatch(/078-?05-?1120|X1234567|photos\.example/)
  })

  it('hands a photo job over for each photo, with a URL that only the vault can open', async () => {
    const submission = sampleSubmission()
    const photos = { front: 'https://photos.example.com/f', selfie: 'https://photos.example.com/s' }
    const verifications = { document: { ...submission.verifications.document, photos } }
    const recorded: Parameters<VerificationStore['record']>[0][] = []
    const spy: VerificationStore = {
      ...fixture.verifications,
      record(each) {
        recorded.push(each)
        return fixture.verifications.record(each)
      },
    }
    await fixture.ingestion({ verifications: spy }).ingestSubmission(MARIA, { ...submission, verifications })
    const jobs = recorded[0]?.verification.photoJobs ?? []
    const recordId = recorded[0]?.verification.verificationId ?? ''
    expect(jobs.map((job) => job.side)).toEqual(['front', 'selfie'])
    expect(new Set(jobs.map((job) => job.photoJobId)).size).toBe(2)
    for (const { side, sealedUrl } of jobs) {
      const opened = { owner: MARIA, recordId, part: photoPart(side), sealed: sealedUrl, ...AUDITED }
      expect(await fixture.vault.openRecord(opened)).toBe(photos[side as 'front' | 'selfie'])
    }
    expect(recorded[0]?.verification.ssn?.state).toBe('COLLECTED')
  })

  it('keeps the time of ingestion where no time of the decision was sent', async () => {
    const ingested = await fixture.ingestion().ingestSubmission(MARIA, sampleSubmission({ decisionedAt: null }))
    const record = await fixture.verifications.findVerification(MARIA, resultOf(ingested).verificationId)
    expect(record?.decisionedAt).toEqual(NOW)
  })

  it('works without SSN and document', async () => {
    const submission = sampleSubmission()
    const person = { ...submission.person, ssn: undefined, ssnLast4: undefined, middleName: 'Lou\u0065\u0301' }
    const verifications = { database: { verificationId: 'db-1', status: 'PASSED' } }
    const plain = { ...submission, person, verifications, decisionReason: undefined, externalProviderData: undefined }
    const ingested = await fixture.ingestion().ingestSubmission(MARIA, plain)
    const recordId = resultOf(ingested).verificationId
    const record = await fixture.verifications.findVerification(MARIA, recordId)
    expect(record).toMatchObject({ ssn: null, documentNumber: null, checks: [], declineCodes: [] })
    const sealed = record?.sealedDetails ?? new Uint8Array()
    const details = await fixture.vault.openRecord({ owner: MARIA, recordId, part: DETAILS_PART, sealed, ...AUDITED })
    expect(JSON.parse(details)).toEqual({
      person: { ...person, ssn: undefined, ssnLast4: undefined },
      verifications,
    })
  })

  it('passes on the warnings of a recorded submission', async () => {
    const ingested = await fixture
      .ingestion()
      .ingestSubmission(MARIA, sampleSubmission({ decisionedAt: '2026-01-05T10:00:00' }))
    expect(ingested).toMatchObject({
      kind: 'recorded',
      warnings: [{ pointer: '/decisionedAt', code: 'TIME_ZONE_ASSUMED_UTC' }],
    })
  })

  it('applies the policy', async () => {
    const strict = fixture.ingestion({ policy: { rejectKnownSampleSsns: true } })
    expect(await strict.ingestSubmission(MARIA, sampleSubmission())).toMatchObject({ kind: 'refused' })
  })

  describe('idempotency', () => {
    it('answers a replay with the original result and writes nothing', async () => {
      const ingestion = fixture.ingestion()
      const first = await ingestion.ingestSubmission(MARIA, sampleSubmission())
      fixture.writes.length = 0
      fixture.advance(400 * 86_400_000)
      const second = await ingestion.ingestSubmission(MARIA, sampleSubmission())
      expect(second).toEqual({ kind: 'replayed', result: resultOf(first), payloadMatches: true })
      expect(fixture.writes).toEqual([])
    })

    const reordered = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reordered)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, reordered(item)]),
      )
    }
    const person = sampleSubmission().person
    it.each([
      ['other key order', reordered(sampleSubmission()), true],
      ['no dashes in the SSN', sampleSubmission({ person: { ...person, ssn: '078051120' } }), true],
      [
        'nulls for absent fields',
        sampleSubmission({ person: { ...person, middleName: null, personData: null } }),
        true,
      ],
      ['undefined for absent fields', sampleSubmission({ person: { ...person, middleName: undefined } }), true],
      ['other decision', sampleSubmission({ decision: 'FAILED' }), false],
      ['other SSN', sampleSubmission({ person: { ...person, ssn: '219-09-1120' } }), false],
      ['one more field', sampleSubmission({ person: { ...person, middleName: 'Q' } }), false],
      ['one field less', sampleSubmission({ decisionReason: undefined }), false],
      [
        'other type',
        sampleSubmission({ externalProviderData: { templateId: 'itmpl_standard', partnerReference: 740019283 } }),
        false,
      ],
      [
        'other order of checks',
        sampleSubmission({
          verifications: {
            ...sampleSubmission().verifications,
            document: {
              ...sampleSubmission().verifications.document,
              checks: [...sampleSubmission().verifications.document.checks].reverse(),
            },
          },
        }),
        false,
      ],
      ['an invalid payload', { externalVerificationId: 'attempt-0001' }, false],
      [
        'a payload too deep to compare',
        sampleSubmission({ externalProviderData: JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) }),
        false,
      ],
      [
        'a payload too large to compare',
        sampleSubmission({ externalProviderData: { list: Array.from({ length: 30_000 }, () => [null, true]) } }),
        false,
      ],
      ['a value that JSON cannot hold', sampleSubmission({ decisionReason: 10n }), false],
    ])('%s', async (_what, payload, payloadMatches) => {
      const ingestion = fixture.ingestion()
      const first = await ingestion.ingestSubmission(MARIA, sampleSubmission())
      fixture.writes.length = 0
      const second = await ingestion.ingestSubmission(MARIA, payload)
      expect(second).toEqual({ kind: 'replayed', result: resultOf(first), payloadMatches })
      expect(fixture.writes).toEqual([])
    })

    it('compares a payload without bottom, and one of 100,000 levels', async () => {
      const ingestion = fixture.ingestion()
      await ingestion.ingestSubmission(MARIA, sampleSubmission())
      const circular: Record<string, unknown> = sampleSubmission()
      circular['externalProviderData'] = circular
      let deep: unknown = 1
      for (let level = 0; level < 100_000; level += 1) deep = [deep]
      for (const payload of [circular, sampleSubmission({ externalProviderData: deep })]) {
        const replay = await ingestion.ingestSubmission(MARIA, payload)
        expect(replay).toMatchObject({ kind: 'replayed', payloadMatches: false })
      }
    })

    it('refuses the id of another user of the app, and reveals nothing', async () => {
      const ingestion = fixture.ingestion()
      await ingestion.ingestSubmission(MARIA, sampleSubmission())
      fixture.writes.length = 0
      const conflict = { kind: 'refused', code: 'EXTERNAL_VERIFICATION_ID_CONFLICT', violations: [] }
      expect(await ingestion.ingestSubmission(JONAS, sampleSubmission())).toEqual(conflict)
      expect(await ingestion.ingestSubmission(JONAS, { externalVerificationId: 'attempt-0001' })).toEqual(conflict)
      expect(fixture.writes).toEqual([])
      expect(await fixture.verifications.findKycStatus(JONAS.userId)).toBe('UNVERIFIED')
    })

    it('keeps another app apart', async () => {
      const ingestion = fixture.ingestion()
      await ingestion.ingestSubmission(MARIA, sampleSubmission())
      expect(await ingestion.ingestSubmission(ELSEWHERE, sampleSubmission())).toMatchObject({ kind: 'recorded' })
    })

    it('does not use up the id of a refused submission', async () => {
      const ingestion = fixture.ingestion()
      const broken = await ingestion.ingestSubmission(MARIA, sampleSubmission({ decision: 'PENDING' }))
      expect(broken).toMatchObject({ kind: 'refused', code: 'VALIDATION_FAILED' })
      expect(fixture.writes).toEqual([])
      expect(await ingestion.ingestSubmission(MARIA, sampleSubmission())).toMatchObject({ kind: 'recorded' })
    })
  })

  describe('at once', () => {
    it('a hundred identical submissions make one record and a hundred equal answers', async () => {
      const ingestion = fixture.ingestion()
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => ingestion.ingestSubmission(MARIA, sampleSubmission())),
      )
      const [result] = answers.map(resultOf)
      for (const answer of answers) {
        expect(resultOf(answer)).toEqual(result)
        if (answer.kind === 'replayed') expect(answer.payloadMatches).toBe(true)
      }
      expect(answers.filter((answer) => answer.kind === 'recorded')).toHaveLength(1)
      expect((await fixture.verifications.listVerifications(MARIA, { limit: 200 })).items).toHaveLength(1)
    })

    it('the tokens of the ninety-nine that lost are referred to by nobody', async () => {
      const ingestion = fixture.ingestion()
      await Promise.all(Array.from({ length: 20 }, () => ingestion.ingestSubmission(MARIA, sampleSubmission())))
      fixture.advance(25 * 3_600_000)
      const tokens = await fixture.vault.listOlderThan({ ageMs: 24 * 3_600_000, limit: 1000 })
      expect(await fixture.verifications.findReferencedTokens(tokens)).toHaveProperty('size', 2)
    })

    // Every pair of decisions of one user at once: two records, one change of status at most.
    const kinds = {
      'PASSED, US': withAddress('US'),
      'PASSED, NO': withAddress('NO'),
      FAILED: withAddress('US', { decision: 'FAILED' }),
    }
    const names = Object.keys(kinds) as (keyof typeof kinds)[]
    it.each(names.flatMap((a) => names.map((b) => [a, b] as const)))('%s and %s', async (a, b) => {
      const ingestion = fixture.ingestion()
      const answers = await Promise.all([
        ingestion.ingestSubmission(MARIA, { ...kinds[a], externalVerificationId: 'a' }),
        ingestion.ingestSubmission(MARIA, { ...kinds[b], externalVerificationId: 'b' }),
      ])
      const passed = [a, b].filter((name) => name !== 'FAILED')
      const statuses = answers.map((answer) => resultOf(answer).status).sort()
      const expected = [
        ...Array<string>(2 - passed.length).fill('DECLINED'),
        ...(passed.length > 0 ? ['VERIFIED'] : []),
        ...(passed.length > 1 ? ['ALREADY_VERIFIED'] : []),
      ]
      expect(statuses).toEqual(expected.sort())
      const { items } = await fixture.verifications.listVerifications(MARIA, { limit: 10 })
      expect(items).toHaveLength(2)
      expect(items.filter(({ statusLog }) => statusLog.previous !== statusLog.next)).toHaveLength(
        passed.length > 0 ? 1 : 0,
      )
    })
  })

  describe('when a part is down', () => {
    it('a vault that is down is an error, and nothing is recorded', async () => {
      const tokenizer = { ...fixture.vault, tokenize: () => Promise.reject(new KycError('VAULT_UNAVAILABLE')) }
      const ingesting = fixture.ingestion({ tokenizer }).ingestSubmission(MARIA, sampleSubmission())
      await expect(ingesting).rejects.toMatchObject({ code: 'VAULT_UNAVAILABLE', retryable: true })
      expect(fixture.writes).toEqual([])
    })

    it('a store that is down is an error, and the same submission is recorded later', async () => {
      const down = { ...fixture.verifications, record: () => Promise.reject(new KycError('STORE_UNAVAILABLE')) }
      const ingesting = fixture.ingestion({ verifications: down }).ingestSubmission(MARIA, sampleSubmission())
      await expect(ingesting).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
      expect(await fixture.ingestion().ingestSubmission(MARIA, sampleSubmission())).toMatchObject({ kind: 'recorded' })
    })

    it.each([
      ['nothing', () => []],
      ['one value too few', (values: readonly object[]) => values.slice(1)],
      ['one value too many', (values: readonly object[]) => [...values, ...values.slice(-1)]],
      [
        'a clear value for a token',
        (values: readonly object[]) => [{ kind: 'ssn', token: '078051120' }, ...values.slice(1)],
      ],
      ['a token of another field', (values: readonly object[]) => [{ ...values[1], kind: 'ssn' }, ...values.slice(1)]],
      [
        'a text for sealed bytes',
        (values: readonly object[]) => [...values.slice(0, -1), { kind: 'record', sealed: 'x' }],
      ],
      ['values of the wrong kind', (values: readonly object[]) => values.map(() => ({ kind: 'ssn', token: 'tok_x' }))],
    ])('a vault that answers %s is an error, and nothing is recorded', async (_what, distort) => {
      const tokenizer = {
        ...fixture.vault,
        tokenize: async (...args: Parameters<typeof fixture.vault.tokenize>) =>
          distort(await fixture.vault.tokenize(...args)) as Awaited<ReturnType<typeof fixture.vault.tokenize>>,
      }
      const ingesting = fixture.ingestion({ tokenizer }).ingestSubmission(MARIA, sampleSubmission())
      await expect(ingesting).rejects.toMatchObject({ code: 'VAULT_UNAVAILABLE' })
      expect(fixture.writes).toEqual([])
    })
  })
})

describe('refusals', () => {
  let fixture: Fixture
  beforeEach(async () => {
    fixture = await openFixture('memory')
  })
  afterEach(() => fixture.close())

  it('a last-four mismatch alone has its own code', async () => {
    const { person } = sampleSubmission()
    const mismatch = { ...person, ssnLast4: '1121' }
    expect(await fixture.ingestion().ingestSubmission(MARIA, sampleSubmission({ person: mismatch }))).toMatchObject({
      kind: 'refused',
      code: 'SSN_LAST4_MISMATCH',
      violations: [{ pointer: '/person/ssnLast4', code: 'SSN_LAST4_MISMATCH' }],
    })
    const both = sampleSubmission({ person: mismatch, decision: 'PENDING' })
    expect(await fixture.ingestion().ingestSubmission(MARIA, both)).toMatchObject({ code: 'VALIDATION_FAILED' })
    const first = sampleSubmission({ person: { ...mismatch, dateOfBirth: '1850-01-01' } })
    expect(await fixture.ingestion().ingestSubmission(MARIA, first)).toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ code: 'SSN_LAST4_MISMATCH' }, { code: 'DATE_IMPLAUSIBLE' }],
    })
    const other = sampleSubmission({ decision: 'PENDING' })
    expect(await fixture.ingestion().ingestSubmission(MARIA, other)).toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  it('report at most 50 violations', async () => {
    const checks = Array.from({ length: 60 }, () => ({ name: 'NOT SNAKE', status: 'PASSED' }))
    const broken = sampleSubmission({
      verifications: { database: { verificationId: 'db-1', status: 'PASSED', checks } },
    })
    const ingested = await fixture.ingestion().ingestSubmission(MARIA, broken)
    expect(ingested.kind === 'refused' && ingested.violations).toHaveLength(50)
    expect((await fixture.ingestion().validateSubmission(MARIA, broken)).violations).toHaveLength(50)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a list', []],
    ['no id', {}],
    ['an inherited id', Object.create({ externalVerificationId: 'attempt-0001' })],
    ['an id that is no text', { externalVerificationId: 7 }],
    ['an id with a space', { externalVerificationId: 'a b' }],
    ['an id of 256 characters', { externalVerificationId: 'a'.repeat(256) }],
    ['an empty id', { externalVerificationId: '' }],
    ['an id with a NUL', { externalVerificationId: 'a\u0000' }],
  ])('%s is refused without asking the store', async (_what, input) => {
    const asked: unknown[] = []
    const verifications = {
      ...fixture.verifications,
      findExisting: async (key: unknown) => {
        asked.push(key)
        return null
      },
    } as VerificationStore
    const ingested = await fixture.ingestion({ verifications }).ingestSubmission(MARIA, input)
    expect(ingested).toMatchObject({ kind: 'refused', code: 'VALIDATION_FAILED' })
    expect(asked).toEqual([])
  })
})

describe('validateSubmission', () => {
  it('answers all violations and warnings, writes nothing and asks no vault', async () => {
    const fixture = await openFixture('memory')
    const asked = () => expect.unreachable('the dry run asks no vault')
    const ingestion = fixture.ingestion({
      tokenizer: { tokenize: asked, fingerprint: asked },
      inspector: { inspect: asked },
    })
    const valid = { valid: true, violations: [], warnings: [] }
    expect(await ingestion.validateSubmission(MARIA, sampleSubmission())).toEqual(valid)
    const questionable = sampleSubmission({ decision: 'PENDING', decisionedAt: '2026-01-05T10:00:00' })
    expect(await ingestion.validateSubmission(MARIA, questionable)).toMatchObject({
      valid: false,
      violations: [{ pointer: '/decision', code: 'ENUM' }],
      warnings: [{ pointer: '/decisionedAt', code: 'TIME_ZONE_ASSUMED_UTC' }],
    })
    expect(fixture.writes).toEqual([])
    await fixture.close()
  })

  it('says when the id belongs to another user of the app, beside other violations, and nothing of that user', async () => {
    const fixture = await openFixture('memory')
    const ingestion = fixture.ingestion()
    await ingestion.ingestSubmission(MARIA, sampleSubmission())
    const written = [...fixture.writes]
    const conflict = {
      pointer: '/externalVerificationId',
      code: 'EXTERNAL_VERIFICATION_ID_CONFLICT',
      message: 'This externalVerificationId belongs to another submission.',
    }
    const conflicting = { valid: false, violations: [conflict], warnings: [] }
    expect(await ingestion.validateSubmission(JONAS, sampleSubmission())).toEqual(conflicting)
    const broken = sampleSubmission({ decision: 'PENDING' })
    expect((await ingestion.validateSubmission(JONAS, broken)).violations.map(({ code }) => code)).toEqual([
      'EXTERNAL_VERIFICATION_ID_CONFLICT',
      'ENUM',
    ])
    const valid = { valid: true, violations: [], warnings: [] }
    expect(await ingestion.validateSubmission(MARIA, sampleSubmission())).toEqual(valid)
    expect(await ingestion.validateSubmission(ELSEWHERE, sampleSubmission())).toEqual(valid)
    expect(fixture.writes).toEqual(written)
    await fixture.close()
  })
})

describe('a photo URL that the fetcher would refuse', () => {
  it('is refused at once, in a submission and in the dry run', async () => {
    const fixture = await openFixture('memory')
    const ingestion = fixture.ingestion({ isPhotoUrlAllowed: (url) => !url.includes('own-host') })
    const { verifications } = sampleSubmission()
    const withFront = (front: string) =>
      sampleSubmission({
        externalVerificationId: front,
        verifications: { ...verifications, document: { ...verifications.document, photos: { front } } },
      })
    const refused = withFront('https://own-host.example.com/f')
    const violation = { pointer: '/verifications/document/photos/front', code: 'PHOTO_URL_INVALID' }
    expect(await ingestion.ingestSubmission(MARIA, refused)).toMatchObject({ violations: [violation] })
    expect(await ingestion.validateSubmission(MARIA, refused)).toMatchObject({ violations: [violation] })
    const fine = await ingestion.ingestSubmission(MARIA, withFront('https://photos.example.com/f'))
    expect(fine.kind).toBe('recorded')
    await fixture.close()
  })
})

describe('a lenient policy with a FAILED decision', () => {
  it('records a submission without address, document number and SSN', async () => {
    const fixture = await openFixture('memory')
    const ingestion = fixture.ingestion({ policy: { lenientOnFailed: true } })
    const { person, verifications } = sampleSubmission()
    const failed = sampleSubmission({
      decision: 'FAILED',
      person: { ...person, address: null, ssn: '' },
      verifications: { ...verifications, document: { ...verifications.document, documentNumber: ' ' } },
    })
    const ingested = await ingestion.ingestSubmission(MARIA, failed)
    expect(ingested).toMatchObject({ kind: 'recorded', result: { status: 'DECLINED' } })
    const record = await fixture.verifications.findVerification(MARIA, resultOf(ingested).verificationId)
    expect(record).toMatchObject({ countryCode: 'ZZ', ssn: null, documentNumber: null })
    await fixture.close()
  })
})

describe('wrong arguments', () => {
  const wrong: [string, Parameters<Fixture['ingestion']>[0]][] = [
    ['no store', { verifications: undefined as never }],
    ['a store without record', { verifications: { findExisting: () => null } as never }],
    ['no vault', { tokenizer: undefined as never }],
    ['a clock of milliseconds', { now: Date.now as never }],
    ['a newId that is no function', { newId: 'id' as never }],
    ['a clock without a time', { now: () => new Date(Number.NaN) }],
    ['a check of photo URLs that is no function', { isPhotoUrlAllowed: true as never }],
    ['a name that does not exist', { polcy: {} } as never],
    ['an inspector that is none', { inspector: {} as never }],
    ['a policy that is none', { policy: null as never }],
    ['a setting that does not exist', { policy: { rejectKnownSampleSsn: true } as never }],
    ['a switch that is a text', { policy: { rejectKnownSampleSsns: 'false' as never } }],
    ['one provider in place of a list', { policy: { providers: 'ACME_ID' as never } }],
    ['a provider that is no text', { policy: { providers: [7 as never] } }],
    ['an age that is no number', { policy: { maxDecisionAgeDays: Number.NaN } }],
  ]
  it.each(wrong)('are refused at the start: %s', async (_what, changes) => {
    const fixture = await openFixture('memory')
    expect(() => fixture.ingestion(changes)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
    await fixture.close()
  })

  it.each([undefined, null])('%s is refused', (none) => {
    expect(() => createIngestion(none as never)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
  })

  it('settings that are undefined have their defaults', async () => {
    const fixture = await openFixture('memory')
    const policy = { providers: undefined, maxDecisionAgeDays: undefined } as never
    expect(await fixture.ingestion({ policy }).ingestSubmission(MARIA, sampleSubmission())).toMatchObject({
      kind: 'recorded',
    })
    await fixture.close()
  })

  it.each([undefined, {}, { appId: MARIA.appId }, { id: MARIA.userId }])('are no user: %j', async (user) => {
    const fixture = await openFixture('memory')
    const submitted = fixture.ingestion().ingestSubmission(user as never, sampleSubmission())
    await expect(submitted).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
    const validated = fixture.ingestion().validateSubmission(user as never, sampleSubmission())
    await expect(validated).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
    expect(fixture.writes).toEqual([])
    await fixture.close()
  })
})
