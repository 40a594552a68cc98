import { checkArgument, hasMethods, isObject, isTime } from '../check-argument.js'
import { statusOutcomes } from '../status/status-outcomes.js'
import { examineSubmission, parseSubmission, type Submission } from '../submission/parse-submission.js'
import type { PiiForm } from '../submission/rule-context.js'
import type { SubmissionPolicy } from '../submission/submission-policy.js'
import { createViolation, type Violation } from '../submission/violation.js'
import type { Warning } from '../submission/warning.js'
import type { AppUser, PiiTokenizer, TokenInspector } from '../tokenization/pii-vault.js'
import { tokenizeSubmission } from '../tokenization/tokenize-submission.js'
import { isPolicy } from '../submission/check-policy.js'
import { inspectTokens } from './inspect-tokens.js'
import { equalDigests, payloadDigest } from './payload-digest.js'
import type { IngestionResult, ExistingSubmission, SubmissionKey, VerificationStore } from './verification-store.js'

/** Most violations in the result of one submission. */
const MAX_REPORTED_VIOLATIONS = 50

/** Reason why a submission is refused. */
export type RefusalCode = 'VALIDATION_FAILED' | 'SSN_LAST4_MISMATCH' | 'EXTERNAL_VERIFICATION_ID_CONFLICT'

/** Result of a submission. */
export type Ingested =
  | { readonly kind: 'recorded'; readonly result: IngestionResult; readonly warnings: readonly Warning[] }
  | {
      /**
       * True when the id was already recorded for this user. The result is the original one, and nothing was written.
       */
      readonly kind: 'replayed'
      readonly result: IngestionResult
      /**
       * False when the payload differs from the recorded one. Key order, white space, SSN dashes, empty optional texts,
       * the offset of `decisionedAt` and the query of a photo URL do not count.
       */
      readonly payloadMatches: boolean | null
    }
  | {
      /** Nothing was written. The id is still unused, except after a conflict. */
      readonly kind: 'refused'
      readonly code: RefusalCode
      /** At most {@link MAX_REPORTED_VIOLATIONS}; none for a conflict. */
      readonly violations: readonly Violation[]
    }

/** Result of the dry run. */
export interface SubmissionValidation {
  readonly valid: boolean
  /** At most {@link MAX_REPORTED_VIOLATIONS}. */
  readonly violations: readonly Violation[]
  readonly warnings: readonly Warning[]
}

/** Options of {@link createIngestion}. */
export interface IngestionDependencies {
  readonly verifications: VerificationStore
  readonly tokenizer: PiiTokenizer
  /** Needed only for {@link Ingestion.ingestTokenizedSubmission}. */
  readonly inspector?: TokenInspector
  /** The clock: sets the time of recording and decides what is expired or in the future. */
  readonly now: () => Date
  /** Creates the id of a record: a UUID of version 7, so that ids sort by time. */
  readonly newId: () => string
  readonly policy?: Partial<SubmissionPolicy>
  /** Checks whether the photo fetcher would request a URL. Default: the rules for every photo URL are enough. */
  readonly isPhotoUrlAllowed?: (url: string) => boolean
}

/** Records submissions with clear or tokenized PII, and offers a dry run. */
export interface Ingestion {
  /**
   * Tokenizes and records a submission with clear PII, as the secure endpoint receives it.
   *
   * @param appUser App and user from the access token, never from the payload.
   * @param input Unvalidated arguments by name.
   * @throws `VAULT_UNAVAILABLE`, `STORE_UNAVAILABLE` (both retryable with the same input), `ARGUMENT_INVALID` for an
   *   `appUser` without the two ids.
   */
  ingestSubmission(appUser: AppUser, input: unknown): Promise<Ingested>

  /**
   * Records a submission in which a tokenizing proxy has replaced SSN and document number by tokens of this vault. Each
   * token must belong to this app, user and field and be at most 24 hours old (`TOKEN_INVALID`).
   *
   * @throws `ARGUMENT_INVALID` without an `inspector`; else as {@link Ingestion.ingestSubmission}.
   */
  ingestTokenizedSubmission(appUser: AppUser, input: unknown): Promise<Ingested>

  /**
   * Returns the violations and warnings of a submission. An id of another user is the violation
   * `EXTERNAL_VERIFICATION_ID_CONFLICT`. Writes and tokenizes nothing; reads the store only for that id.
   *
   * @throws `STORE_UNAVAILABLE` (retryable), `ARGUMENT_INVALID` for an `appUser` without the two ids.
   */
  validateSubmission(appUser: AppUser, input: unknown): Promise<SubmissionValidation>
}

const dependencyNames = {
  verifications: true,
  tokenizer: true,
  inspector: true,
  now: true,
  newId: true,
  policy: true,
  isPhotoUrlAllowed: true,
} as const satisfies Record<keyof IngestionDependencies, true>

function checkAppUser(appUser: Partial<AppUser> | null | undefined): void {
  checkArgument(typeof appUser?.appId === 'string' && typeof appUser.userId === 'string')
}

/** The look-up comes before validation, so only a text that can be a recorded id is looked up. */
function submissionKey(appUser: AppUser, input: unknown): SubmissionKey | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'externalVerificationId')) return null
  const { externalVerificationId } = input as { readonly externalVerificationId: unknown }
  if (typeof externalVerificationId !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(externalVerificationId)) return null
  return { appId: appUser.appId, userId: appUser.userId, externalVerificationId }
}

const CONFLICT = createViolation('/externalVerificationId', 'EXTERNAL_VERIFICATION_ID_CONFLICT')

/** Form of the PII, and the vault check before recording. */
interface PiiMode {
  readonly pii: PiiForm
  inspect(owner: AppUser, submission: Submission, at: Date): Promise<readonly Violation[]>
}

const CLEAR_PII: PiiMode = { pii: 'clear', inspect: async () => [] }

function refuse(violations: readonly Violation[]): Ingested {
  const isMismatchOnly = violations.length === 1 && violations[0]?.code === 'SSN_LAST4_MISMATCH'
  return {
    kind: 'refused',
    code: isMismatchOnly ? 'SSN_LAST4_MISMATCH' : 'VALIDATION_FAILED',
    violations: violations.slice(0, MAX_REPORTED_VIOLATIONS),
  }
}

/**
 * Creates the ingestion path from a verification store and a vault.
 *
 * @throws KycError `ARGUMENT_INVALID` for a store, a vault, an inspector, a clock, a `newId` or a policy that is none,
 *   and for an unknown name
 *
 * @example
 * ```ts
 * import { createIngestion, type PiiTokenizer, type VerificationStore } from '@kyc-relay/kyc-core'
 *
 * function build(verifications: VerificationStore, tokenizer: PiiTokenizer) {
 *   return createIngestion({
 *     verifications,
 *     tokenizer,
 *     now: () => new Date(),
 *     newId: () => crypto.randomUUID(),
 *     policy: { providers: ['ACME_ID'], rejectKnownSampleSsns: true },
 *   })
 * }
 * ```
 */
export function createIngestion(dependencies: IngestionDependencies): Ingestion {
  checkArgument(isObject(dependencies))
  const { verifications, tokenizer, inspector, now, newId, policy = {} } = dependencies
  const { isPhotoUrlAllowed = () => true } = dependencies
  checkArgument(hasMethods(verifications, 'findExisting', 'record') && hasMethods(tokenizer, 'tokenize', 'fingerprint'))
  checkArgument(inspector === undefined || hasMethods(inspector, 'inspect'))
  checkArgument(typeof newId === 'function' && typeof now === 'function' && isTime(now()))
  checkArgument(typeof isPhotoUrlAllowed === 'function' && isPolicy(policy))
  checkArgument(Object.keys(dependencies).every((name) => Object.hasOwn(dependencyNames, name)))

  /** The mode says how PII arrives and how it is inspected; everything else is the same. */
  async function ingest(appUser: AppUser, input: unknown, mode: PiiMode): Promise<Ingested> {
    checkAppUser(appUser)
    const at = now()
    const key = submissionKey(appUser, input)
    const existing = key && (await verifications.findExisting(key))
    if (existing) return answerExisting(existing, input)

    const parsed = parseSubmission(input, { now: at, policy, pii: mode.pii, isPhotoUrlAllowed })
    const violations = parsed.ok ? await mode.inspect(appUser, parsed.submission, at) : parsed.violations
    if (!key || !parsed.ok || violations.length > 0) return refuse(violations)

    const verificationId = newId()
    const tokenization = { tokenizer, owner: appUser, verificationId, newId, pii: mode.pii }
    const verification = await tokenizeSubmission(parsed.submission, tokenization)
    const outcomes = statusOutcomes(parsed.submission, verificationId)
    const digest = await payloadDigest(tokenizer, input)
    const recorded = await verifications.record({ key, verification, payloadDigest: digest, recordedAt: at, outcomes })
    return recorded.kind === 'recorded' ? { ...recorded, warnings: parsed.warnings } : answerExisting(recorded, input)
  }

  async function answerExisting(existing: ExistingSubmission, input: unknown): Promise<Ingested> {
    if (existing.kind === 'conflict') {
      return { kind: 'refused', code: 'EXTERNAL_VERIFICATION_ID_CONFLICT', violations: [] }
    }
    const { result, payloadDigest: first } = existing
    if (first === null) return { kind: 'replayed', result, payloadMatches: null }
    return { kind: 'replayed', result, payloadMatches: equalDigests(first, await payloadDigest(tokenizer, input)) }
  }

  return {
    ingestSubmission: (appUser, input) => ingest(appUser, input, CLEAR_PII),
    async ingestTokenizedSubmission(appUser, input) {
      checkArgument(inspector !== undefined)
      return ingest(appUser, input, {
        pii: 'tokens',
        inspect: (owner, submission, at) => inspectTokens(inspector as TokenInspector, owner, submission, at),
      })
    },
    async validateSubmission(appUser, input) {
      checkAppUser(appUser)
      const examined = examineSubmission(input, { now: now(), policy, isPhotoUrlAllowed })
      const key = submissionKey(appUser, input)
      const existing = key && (await verifications.findExisting(key))
      const violations = [...(existing?.kind === 'conflict' ? [CONFLICT] : []), ...examined.violations]
      const { warnings } = examined
      return {
        valid: violations.length === 0,
        violations: violations.slice(0, MAX_REPORTED_VIOLATIONS),
        warnings,
      }
    },
  }
}
