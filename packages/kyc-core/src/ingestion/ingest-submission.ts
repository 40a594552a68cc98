import { KycError } from '../kyc-error.js'
import { statusOutcomes } from '../status/status-outcomes.js'
import { examineSubmission, parseSubmission, type Submission } from '../submission/parse-submission.js'
import type { PiiForm } from '../submission/rule-context.js'
import type { SubmissionPolicy } from '../submission/submission-policy.js'
import type { Violation } from '../submission/violation.js'
import type { Warning } from '../submission/warning.js'
import type { AppUser, PiiTokenizer, TokenInspector } from '../tokenization/pii-vault.js'
import { tokenizeSubmission } from '../tokenization/tokenize-submission.js'
import { inspectTokens } from './inspect-tokens.js'
import { equalDigests, payloadDigest } from './payload-digest.js'
import type { IngestionResult, ExistingSubmission, SubmissionKey, VerificationStore } from './verification-store.js'

/** Most violations that are reported for one refused submission. */
export const MAX_REPORTED_VIOLATIONS = 50

/** Why a submission is refused as a whole. */
export type RefusalCode = 'VALIDATION_FAILED' | 'SSN_LAST4_MISMATCH' | 'EXTERNAL_VERIFICATION_ID_CONFLICT'

/** What became of a submission. */
export type Ingested =
  | { readonly kind: 'recorded'; readonly result: IngestionResult; readonly warnings: readonly Warning[] }
  | {
      /** The id was recorded before for this user: the original result, and nothing was written anywhere. */
      readonly kind: 'replayed'
      readonly result: IngestionResult
      /** False when this payload differs from the recorded one in more than key order, white space and SSN dashes. */
      readonly payloadMatches: boolean
    }
  | {
      /** Nothing was written, and the id is still free (except for a conflict). */
      readonly kind: 'refused'
      readonly code: RefusalCode
      /** At most {@link MAX_REPORTED_VIOLATIONS}; none for a conflict. */
      readonly violations: readonly Violation[]
    }

/** Answer of the dry run. */
export interface SubmissionValidation {
  readonly valid: boolean
  /** At most {@link MAX_REPORTED_VIOLATIONS}. */
  readonly violations: readonly Violation[]
  readonly warnings: readonly Warning[]
}

/** What {@link createIngestion} works with. */
export interface IngestionDependencies {
  readonly verifications: VerificationStore
  readonly tokenizer: PiiTokenizer
  /** Needed only for {@link Ingestion.ingestTokenizedSubmission}. */
  readonly inspector?: TokenInspector
  /** The clock: when something is recorded, and what counts as expired or in the future. */
  readonly now: () => Date
  /** Makes an id of a record: UUID, version 7 so that they sort by time. */
  readonly newId: () => string
  readonly policy?: Partial<SubmissionPolicy>
}

/** Ingestion of clear and of tokenized submissions, and the dry run. */
export interface Ingestion {
  /**
   * Takes a submission with clear PII, as it arrives at the secure endpoint: tokenizes and records it.
   *
   * @param appUser Who submits, from the access token and never from the payload.
   * @param input The arguments by name, not yet validated.
   * @throws `VAULT_UNAVAILABLE`, `STORE_UNAVAILABLE` (both retryable with the same input).
   */
  ingestSubmission(appUser: AppUser, input: unknown): Promise<Ingested>

  /**
   * Takes a submission whose SSN and document number are tokens of this vault already, as it arrives behind an external
   * tokenizing proxy. Each token must belong to this app, user and field and be at most 24 hours old (`TOKEN_INVALID`).
   *
   * @throws `ARGUMENT_INVALID` without an `inspector`; else as {@link Ingestion.ingestSubmission}.
   */
  ingestTokenizedSubmission(appUser: AppUser, input: unknown): Promise<Ingested>

  /** The dry run: every violation and warning, nothing written, nothing tokenized, no store or vault asked. */
  validateSubmission(input: unknown): SubmissionValidation
}

/** The look-up comes before validation, so only a text that can be a recorded id is looked up. */
function submissionKey(appUser: AppUser, input: unknown): SubmissionKey | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'externalVerificationId')) return null
  const { externalVerificationId } = input as { readonly externalVerificationId: unknown }
  if (typeof externalVerificationId !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(externalVerificationId)) return null
  return { appId: appUser.appId, userId: appUser.userId, externalVerificationId }
}

/** How PII comes in, and what is asked of the vault before anything is recorded. */
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
 * Builds the ingestion path around a verification store and a vault.
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
  const { verifications, tokenizer, inspector, now, newId, policy = {} } = dependencies

  /** The mode says how PII arrives and how it is inspected; everything else is the same. */
  async function ingest(appUser: AppUser, input: unknown, mode: PiiMode): Promise<Ingested> {
    const at = now()
    const key = submissionKey(appUser, input)
    const existing = key && (await verifications.findExisting(key))
    if (existing) return answerExisting(existing, input)

    const parsed = parseSubmission(input, { now: at, policy, pii: mode.pii })
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
    const digest = await payloadDigest(tokenizer, input)
    return { kind: 'replayed', result: existing.result, payloadMatches: equalDigests(existing.payloadDigest, digest) }
  }

  return {
    ingestSubmission: (appUser, input) => ingest(appUser, input, CLEAR_PII),
    async ingestTokenizedSubmission(appUser, input) {
      if (!inspector) throw new KycError('ARGUMENT_INVALID')
      return ingest(appUser, input, {
        pii: 'tokens',
        inspect: (owner, submission, at) => inspectTokens(inspector, owner, submission, at),
      })
    },
    validateSubmission(input) {
      const { violations, warnings } = examineSubmission(input, { now: now(), policy })
      return {
        valid: violations.length === 0,
        violations: violations.slice(0, MAX_REPORTED_VIOLATIONS),
        warnings,
      }
    },
  }
}
