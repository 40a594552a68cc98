import { buildSchema, type defaultFieldResolver, graphql, GraphQLError, isEnumType, isObjectType } from 'graphql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createResolvers, typeDefs } from '@kyc-relay/kyc-core/graphql'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { PHOTO_FAILURES } from '../../src/photos/photo-failure.js'
import type { AppUser, Ingested } from '@kyc-relay/kyc-core'
import type { PhotoState } from '@kyc-relay/kyc-core/internal'
import { JONAS, MARIA, openFixture, type Fixture } from '../ingestion/ingestion-fixture.js'

interface Context {
  readonly user: AppUser
}

const POST = `mutation ($schemaVersion: String!, $externalVerificationProvider: String!, $externalVerificationId: String!,
  $decision: String!, $decisionReason: String, $decisionedAt: String, $person: JSON!, $verifications: JSON!, $externalProviderData: JSON) {
  postKycVerification(schemaVersion: $schemaVersion, externalVerificationProvider: $externalVerificationProvider,
    externalVerificationId: $externalVerificationId, decision: $decision, decisionReason: $decisionReason,
    decisionedAt: $decisionedAt, person: $person, verifications: $verifications, externalProviderData: $externalProviderData) {
    status verificationId message } }`
const VALIDATE = POST.replace('mutation', 'query')
  .replace('postKycVerification', 'validateKycVerification')
  .replace('status verificationId message', 'valid violations { pointer code message } warnings { code }')
const PAGE = `query ($first: Int, $after: String) { kycVerifications(first: $first, after: $after) {
  edges { cursor node { externalVerificationId } } nodes { externalVerificationId }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly externalVerificationId: string } }[]
  readonly nodes: readonly { readonly externalVerificationId: string }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

describe('resolvers', () => {
  let fixture: Fixture
  const told: Exclude<Ingested, { kind: 'refused' }>[] = []
  beforeEach(async () => {
    fixture = await openFixture('memory')
    told.length = 0
  })
  afterEach(() => fixture.close())

  async function run(source: string, variableValues: Record<string, unknown> = {}, user: AppUser = MARIA) {
    const resolvers = createResolvers<Context>({
      ingestion: fixture.ingestion(),
      verifications: fixture.verifications,
      caller: (context) => context.user,
      createError: (text, options) => new GraphQLError(text, options),
      onIngested: (ingested) => void told.push(ingested),
    }) as unknown as Record<string, Record<string, typeof defaultFieldResolver>>
    const schema = buildSchema(typeDefs)
    for (const [type, fields] of Object.entries(resolvers)) {
      const object = schema.getType(type)
      for (const [name, resolve] of Object.entries(fields)) {
        if (isObjectType(object)) (object.getFields()[name] as { resolve?: unknown }).resolve = resolve
      }
    }
    return graphql({ schema, source, variableValues, contextValue: { user } })
  }

  it('record a submission and show it', async () => {
    const posted = await run(POST, sampleSubmission())
    expect(posted.errors).toBeUndefined()
    expect(told).toMatchObject([{ kind: 'recorded' }])
    const { verificationId } = posted.data?.['postKycVerification'] as { verificationId: string }
    const shown = await run(
      `query ($id: ID!) { viewer { userId kycStatus } kycVerification(verificationId: $id) {
        verificationId status message schemaVersion externalVerificationProvider externalVerificationId decision decisionedAt
        recordedAt countryCode sections { section verificationId status } checks { section name status } declineCodes
        statusLog { previous next at } } }`,
      { id: verificationId },
    )
    expect(shown).toEqual({
      data: {
        viewer: { userId: MARIA.userId, kycStatus: 'PASS' },
        kycVerification: {
          verificationId,
          status: 'VERIFIED',
          message: 'The verification was recorded and the KYC status of the user was set.',
          schemaVersion: '1.0',
          externalVerificationProvider: 'CUSTOM',
          externalVerificationId: 'attempt-0001',
          decision: 'PASSED',
          decisionedAt: '2026-01-05T10:00:00.000Z',
          recordedAt: '2026-01-06T12:00:00.123Z',
          countryCode: 'US',
          sections: [
            { section: 'document', verificationId: 'doc-0001', status: 'PASSED' },
            { section: 'ssn', verificationId: 'ssn-0001', status: 'PASSED' },
          ],
          checks: [
            { section: 'document', name: 'document_authenticity', status: 'PASSED' },
            { section: 'document', name: 'face_match', status: 'PASSED' },
            { section: 'document', name: 'nfc_chip', status: 'NOT_APPLICABLE' },
          ],
          declineCodes: [],
          statusLog: { previous: 'UNVERIFIED', next: 'PASS', at: '2026-01-06T12:00:00.123Z' },
        },
      },
    })
    expect(
      await run('query ($id: ID!) { kycVerification(verificationId: $id) { status } }', { id: verificationId }, JONAS),
    ).toEqual({ data: { kycVerification: null } })
  })

  it('know every failure of a photo by its code', () => {
    const failures = buildSchema(typeDefs).getType('KycPhotoFailure')
    const states = buildSchema(typeDefs).getType('KycPhotoState')
    if (!isEnumType(failures) || !isEnumType(states)) throw new Error('not there')
    expect(failures.getValues().map(({ name }) => name)).toEqual(PHOTO_FAILURES)
    const known: Record<PhotoState, true> = {
      PENDING: true,
      RETRYING: true,
      STORED: true,
      REFUSED: true,
      UNAVAILABLE: true,
      ERASED: true,
    }
    expect(states.getValues().map(({ name }) => name)).toEqual(Object.keys(known))
  })

  it('answer a refusal as an error with code and violations', async () => {
    const refused = await run(POST, sampleSubmission({ decision: 'PENDING' }))
    expect(refused.data).toEqual({ postKycVerification: null })
    expect(refused.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ pointer: '/decision', code: 'ENUM' }],
      retryable: false,
    })
    expect(told).toEqual([])
  })

  it('answer the dry run', async () => {
    const answer = await run(VALIDATE, sampleSubmission({ decision: 'PENDING' }))
    expect(answer.data).toMatchObject({
      validateKycVerification: { valid: false, violations: [{ code: 'ENUM' }], warnings: [] },
    })
  })

  describe('the connection', () => {
    async function record(count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) {
        await fixture.ingestion().ingestSubmission(MARIA, sampleSubmission({ externalVerificationId: `id-${index}` }))
      }
    }
    async function page(variables: Record<string, unknown>): Promise<Page> {
      const { data, errors } = await run(PAGE, variables)
      expect(errors).toBeUndefined()
      return data?.['kycVerifications'] as Page
    }
    const idsOf = ({ nodes }: Page): string[] => nodes.map((node) => node.externalVerificationId)

    it('pages from the newest to the oldest by endCursor', async () => {
      await record(5)
      const first = await page({ first: 2 })
      expect(idsOf(first)).toEqual(['id-4', 'id-3'])
      expect(first.pageInfo).toMatchObject({
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: first.edges[0]?.cursor,
      })
      const second = await page({ first: 2, after: first.pageInfo.endCursor })
      expect(idsOf(second)).toEqual(['id-2', 'id-1'])
      expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
      const third = await page({ first: 2, after: second.pageInfo.endCursor })
      expect(idsOf(third)).toEqual(['id-0'])
      expect(third.pageInfo).toMatchObject({ hasNextPage: false, endCursor: third.edges[0]?.cursor })
      expect(idsOf(await page({ first: 2, after: third.pageInfo.endCursor }))).toEqual([])
    })

    it('goes on after any edge', async () => {
      await record(5)
      const all = await page({})
      expect(idsOf(all)).toEqual(['id-4', 'id-3', 'id-2', 'id-1', 'id-0'])
      for (const [index, { cursor }] of all.edges.entries()) {
        expect(idsOf(await page({ after: cursor, first: null }))).toEqual(idsOf(all).slice(index + 1))
      }
      const later = await page({ first: 2, after: all.edges[0]?.cursor })
      expect(idsOf(await page({ first: 1, after: later.edges[0]?.cursor }))).toEqual(['id-2'])
    })

    it('takes 100 at once, and no more', async () => {
      await record(1)
      expect(idsOf(await page({ first: 100 }))).toEqual(['id-0'])
      for (const first of [101, 200, 2_147_483_647]) {
        const { data, errors } = await run(PAGE, { first })
        expect(data).toBeNull()
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', detail: 'PAGE_TOO_LARGE' })
      }
    })

    it('goes on after an edge of the first page when a submission has arrived meanwhile', async () => {
      await record(3)
      const { edges, pageInfo } = await page({})
      await fixture.ingestion().ingestSubmission(MARIA, sampleSubmission({ externalVerificationId: 'late' }))
      expect(idsOf(await page({ first: 1, after: edges[0]?.cursor }))).toEqual(['id-1'])
      expect(idsOf(await page({ first: 1, after: pageInfo.endCursor }))).toEqual([])
    })

    it('is empty for a user without verifications', async () => {
      expect(await page({ first: 1 })).toEqual({
        edges: [],
        nodes: [],
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      })
    })

    it.each([{ first: 0 }, { first: -1 }, { after: '' }, { after: 'x' }, { after: '1.0' }])(
      'refuses %j',
      async (variables) => {
        const { data, errors } = await run(PAGE, variables)
        expect(data).toBeNull()
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_REQUEST' })
      },
    )
  })
})

const createPorts = (...methods: string[]) => Object.fromEntries(methods.map((name) => [name, () => undefined]))

describe('the reasons of checks', () => {
  type Shown = readonly { readonly reasons: () => Promise<readonly string[] | null> }[]

  async function reasonsOf(
    checks: readonly { readonly section: string }[],
    openDetails: () => Promise<unknown>,
  ): Promise<unknown[]> {
    const at = new Date('2026-01-06T12:00:00Z')
    const record = { ...MARIA, result: {}, statusLog: { at }, checks, decisionedAt: at, recordedAt: at }
    const resolvers = createResolvers({
      ingestion: createPorts('ingestSubmission', 'validateSubmission'),
      verifications: {
        ...createPorts('listVerifications', 'findKycStatus'),
        findVerification: () => Promise.resolve(record),
      },
      caller: () => MARIA,
      createError: () => new Error(),
      openDetails,
    } as never)
    const shown = await resolvers.Query.kycVerification(undefined, { verificationId: 'v-1' }, undefined)
    return Promise.all((shown?.['checks'] as Shown).map(({ reasons }) => reasons()))
  }
  const inSections = (...sections: string[]) => sections.map((section) => ({ section }))
  const details = {
    verifications: {
      document: { checks: [{ reasons: ['d0'] }, {}, { reasons: ['d2', 'x'] }] },
      ssn: { checks: [{ reasons: ['s0'] }] },
    },
  }

  it('are those of the same place in the section', async () => {
    const checks = inSections('document', 'ssn', 'document', 'document', 'document', 'ssn', 'database')
    expect(await reasonsOf(checks, () => Promise.resolve(details))).toEqual([
      ['d0'],
      ['s0'],
      [],
      ['d2', 'x'],
      [],
      [],
      [],
    ])
  })

  it('are null when the details cannot be opened', async () => {
    expect(await reasonsOf(inSections('document', 'ssn'), () => Promise.resolve(null))).toEqual([null, null])
  })

  it('of 500 checks are not searched again for each check', async () => {
    let reads = 0
    const checks = Array.from({ length: 500 }, () => ({
      get section() {
        reads += 1
        return 'document'
      },
    }))
    await reasonsOf(checks, () => Promise.resolve(details))
    expect(reads).toBeLessThan(500 * 10)
  })
})

it.each([
  ['createError', undefined],
  ['caller', null],
  ['verifications', undefined],
  ['openDetails', 'a text'],
  ['openDetail', () => Promise.resolve(null)],
  // A storage in place of its verifications, and a factory that was not called.
  ['verifications', { verifications: {} }],
  ['ingestion', () => ({})],
  ['photoJobs', {}],
])('a wrong dependency %s is told when the resolvers are created', (name, value) => {
  const [ingestion, verifications] = [
    createPorts('ingestSubmission', 'validateSubmission'),
    createPorts('findVerification', 'listVerifications', 'findKycStatus'),
  ]
  const right = { ingestion, verifications, caller: () => MARIA, createError: () => new Error() }
  expect(() => createResolvers(right as never)).not.toThrow()
  expect(() => createResolvers({ ...right, [name]: value } as never)).toThrow(
    expect.objectContaining({ code: 'ARGUMENT_INVALID' }),
  )
})

it.each([undefined, null])('%s in place of the dependencies is told too', (none) => {
  expect(() => createResolvers(none as never)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
})
