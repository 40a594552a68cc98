import { checkArgument, hasMethods, isObject } from '../check-argument.js'
import type { Ingested, Ingestion } from '../ingestion/ingest-submission.js'
import type { RecordedCheck, VerificationRecord, VerificationStore } from '../ingestion/verification-store.js'
import type { PhotoJobStore, PhotoRecord } from '../photos/photo-job-store.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import type { SubmissionDetails } from '../tokenization/tokenize-submission.js'
import { DEFAULT_PAGE_SIZE, QUERY_LIMITS } from './query-limits.js'

const REFUSALS: Readonly<Record<Extract<Ingested, { kind: 'refused' }>['code'], string>> = {
  VALIDATION_FAILED: 'The submission breaks one or more rules; see violations.',
  SSN_LAST4_MISMATCH: 'ssnLast4 must equal the last four digits of ssn.',
  EXTERNAL_VERIFICATION_ID_CONFLICT: 'This externalVerificationId belongs to another submission.',
}

/** Options of {@link createResolvers}. `Context` is the context value of your GraphQL server. */
export interface ResolverDependencies<Context> {
  readonly ingestion: Ingestion
  readonly verifications: VerificationStore
  /** Source of the photos of a verification. Default: every verification has no photos. */
  readonly photoJobs?: Pick<PhotoJobStore, 'listPhotos'>
  /**
   * Opens the sealed part `details` of a verification for the partner who sent it; null after the user was erased. It is
   * called once for a verification, and only if `decisionReason` or `reasons` is selected. Default: both are null.
   */
  readonly openDetails?: (record: VerificationRecord) => Promise<SubmissionDetails | null>
  /** Returns the caller from the access token. Throw your own error for a caller without the right. */
  readonly caller: (context: Context) => AppUser | Promise<AppUser>
  /** Creates an error with your server's copy of graphql: `(text, options) => new GraphQLError(text, options)`. */
  readonly createError: (text: string, options: { readonly extensions: Record<string, unknown> }) => Error
  /** Called for every recorded or replayed submission, for example to add `warnings` to the response extensions. */
  readonly onIngested?: (ingested: Exclude<Ingested, { kind: 'refused' }>, context: Context) => void
}

type Args = Readonly<Record<string, unknown>>

function presentPhoto({ nextAttemptAt, endedAt, ...photo }: PhotoRecord): Record<string, unknown> {
  return {
    ...photo,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  }
}

/** Converts a UUID to lower case (RFC 9562, section 4); leaves other ids unchanged. */
function idOf(given: string): string {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given) ? given.toLowerCase() : given
}

/** Adds the place in its section to each check. Checks are recorded in the order in which their section lists them. */
function withOrdinals(checks: readonly RecordedCheck[]) {
  const counts = new Map<RecordedCheck['section'], number>()
  return checks.map((check) => {
    const ordinal = counts.get(check.section) ?? 0
    counts.set(check.section, ordinal + 1)
    return { check, ordinal }
  })
}

function presentVerification(
  record: VerificationRecord,
  { photoJobs, openDetails }: Pick<ResolverDependencies<unknown>, 'photoJobs' | 'openDetails'>,
): Record<string, unknown> {
  const { appId, userId, verificationId } = record
  const { result, statusLog, checks, decisionedAt, recordedAt, ...rest } = record
  let photos: Promise<readonly Record<string, unknown>[]> | undefined
  const listPhotos = async () =>
    (await photoJobs?.listPhotos({ appId, userId }, verificationId))?.map(presentPhoto) ?? []
  let details: Promise<SubmissionDetails | null> | undefined
  // The default resolver calls functions only for selected fields. The details are opened once.
  const open = () => (details ??= openDetails?.(record) ?? Promise.resolve(null))
  const reasonsOf = async (section: RecordedCheck['section'], ordinal: number) => {
    const opened = await open()
    return opened === null ? null : (opened.verifications[section]?.checks?.[ordinal]?.reasons ?? [])
  }
  return {
    ...rest,
    status: result.status,
    message: result.message,
    decisionedAt: decisionedAt.toISOString(),
    recordedAt: recordedAt.toISOString(),
    checks: withOrdinals(checks).map(({ check, ordinal }) => ({
      ...check,
      reasons: () => reasonsOf(check.section, ordinal),
    })),
    statusLog: {
      ...statusLog,
      at: statusLog.at.toISOString(),
      source: 'SUBMISSION',
      decisionReason: async () => (await open())?.decisionReason ?? null,
    },
    // The default resolver calls this function only when photos are selected. It reads them once, however many aliases
    // select them.
    photos: () => (photos ??= listPhotos()),
  }
}

/** The store may be another package, so its error has a class of its own. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

/** Without this, a missing callback would be found at the first refusal, and a misspelt one never. */
function checkDependencies<Context>(dependencies: ResolverDependencies<Context>): void {
  checkArgument(isObject(dependencies))
  const { ingestion, verifications, photoJobs, caller, createError, openDetails, onIngested, ...unknown } = dependencies
  const isCallback = (value: unknown) => typeof value === 'function'
  const areCallbacks =
    [caller, createError].every(isCallback) &&
    [openDetails, onIngested].every((value) => value === undefined || isCallback(value))
  checkArgument(areCallbacks && Object.keys(unknown).length === 0)
  checkArgument(hasMethods(ingestion, 'ingestSubmission', 'validateSubmission'))
  checkArgument(hasMethods(verifications, 'findVerification', 'listVerifications', 'findKycStatus'))
  checkArgument(photoJobs === undefined || hasMethods(photoJobs, 'listPhotos'))
}

/**
 * Creates resolvers for {@link typeDefs}, for GraphQL Yoga, Apollo Server and other servers that take a resolver map.
 *
 * Call {@link inspectSubmissionDocument} on each request first, and mask errors. These servers coerce variables before
 * a resolver runs and may print them in errors and traces. They also run a document of any cost.
 *
 * @throws KycError `ARGUMENT_INVALID` for a missing dependency, one of another type, or an unknown name
 *
 * @example
 * ```ts
 * import { createResolvers, type ResolverDependencies } from '@kyc-relay/kyc-core/graphql'
 * import type { AppUser } from '@kyc-relay/kyc-core'
 * import { GraphQLError } from 'graphql'
 *
 * function resolvers(parts: Pick<ResolverDependencies<{ user: AppUser }>, 'ingestion' | 'verifications'>) {
 *   return createResolvers<{ user: AppUser }>({
 *     ...parts,
 *     caller: (context) => context.user,
 *     createError: (text, options) => new GraphQLError(text, options),
 *   })
 * }
 * ```
 */
export function createResolvers<Context>(dependencies: ResolverDependencies<Context>) {
  checkDependencies(dependencies)
  const { ingestion, verifications, caller, createError, onIngested } = dependencies

  async function postKycVerification(_root: unknown, input: Args, context: Context) {
    const ingested = await ingestion.ingestSubmission(await caller(context), input)
    if (ingested.kind === 'refused') {
      const { code, violations } = ingested
      throw createError(REFUSALS[code], { extensions: { code, violations, retryable: false } })
    }
    onIngested?.(ingested, context)
    return ingested.result
  }

  async function validateKycVerification(_root: unknown, input: Args, context: Context) {
    return ingestion.validateSubmission(await caller(context), input)
  }

  async function kycVerifications(
    _root: unknown,
    { first, after }: { readonly first?: number | null; readonly after?: string | null },
    context: Context,
  ) {
    const limit = first ?? DEFAULT_PAGE_SIZE
    if (!Number.isInteger(limit) || limit < 1) throw badPage()
    if (limit > QUERY_LIMITS.pageSize) {
      throw createError('first must be 1 to 100.', {
        extensions: { code: 'LIMIT_EXCEEDED', detail: 'PAGE_TOO_LARGE', retryable: false },
      })
    }
    const owner = await caller(context)
    const page = await listVerifications(owner, limit, after ?? undefined)
    const nodes = page.items.map((record) => presentVerification(record, dependencies))
    return {
      edges: nodes.map((node, index) => ({ node, cursor: page.cursors[index] })),
      nodes,
      pageInfo: {
        hasNextPage: page.nextCursor !== null,
        hasPreviousPage: after != null,
        startCursor: page.cursors[0] ?? null,
        endCursor: page.cursors.at(-1) ?? null,
      },
    }
  }

  async function listVerifications(owner: AppUser, limit: number, cursor: string | undefined) {
    try {
      return await verifications.listVerifications(owner, { limit, cursor })
    } catch (error) {
      throw codeOf(error) === 'CURSOR_INVALID' ? badPage() : error
    }
  }

  function badPage(): Error {
    return createError('first must be 1 to 100, and after must be a cursor of this connection.', {
      extensions: { code: 'BAD_REQUEST', retryable: false },
    })
  }

  return {
    Query: {
      async viewer(_root: unknown, _args: unknown, context: Context) {
        const { userId } = await caller(context)
        return { userId, kycStatus: await verifications.findKycStatus(userId) }
      },
      async kycVerification(_root: unknown, { verificationId }: { readonly verificationId: string }, context: Context) {
        const owner = await caller(context)
        // No id has a NUL, and PostgreSQL would refuse the text.
        if (verificationId.includes('\0')) return null
        const record = await verifications.findVerification(owner, idOf(verificationId))
        return record && presentVerification(record, dependencies)
      },
      kycVerifications,
      validateKycVerification,
    },
    Mutation: { postKycVerification, validateKycVerification },
  }
}
