import { declineCodes } from '../status/decline-codes.js'
import type { PhotoJob, RecordedCheck, SectionName, TokenizedVerification } from '../ingestion/verification-store.js'
import { KycError } from '../kyc-error.js'
import { recordedCountry } from '../submission/country-codes.js'
import { normaliseDocumentNumber } from '../submission/document-number.js'
import type { Submission } from '../submission/parse-submission.js'
import type { AppUser, ClearValue, PiiTokenizer, TokenizedValue } from './pii-vault.js'
import { parseToken, type Token } from './token.js'

/** Name of the sealed part with the person and all free-form parts. */
export const DETAILS_PART = 'details'

/**
 * Returns the name of the sealed part with one photo URL: `photo_front`, `photo_back`, `photo_selfie`.
 *
 * @example
 * ```ts
 * import { photoPart } from '@kyc-relay/kyc-core/internal'
 *
 * photoPart('front') // 'photo_front'
 * ```
 */
export function photoPart(side: PhotoJob['side']): string {
  return `photo_${side}`
}

/**
 * Returns the name of the sealed part with one fetched photo.
 *
 * @example
 * ```ts
 * import { photoImagePart } from '@kyc-relay/kyc-core/internal'
 *
 * photoImagePart('front') // 'photo_front_image'
 * ```
 */
export function photoImagePart(side: PhotoJob['side']): string {
  return `photo_${side}_image`
}

const SECTIONS: readonly SectionName[] = ['document', 'ssn', 'database']
const PHOTO_SIDES: readonly PhotoJob['side'][] = ['front', 'back', 'selfie']

/** Lists all check outcomes of a submission, in order of appearance. */
function recordedChecks({ verifications }: Submission): RecordedCheck[] {
  return SECTIONS.flatMap((section) =>
    (verifications[section]?.checks ?? []).map(({ name, status }) => ({ section, name, status })),
  )
}

/**
 * Returns all personal data without a token as one JSON text: the person without the SSN, the sections without document
 * number and photo URLs, `decisionReason` and the provider's data.
 */
function submissionDetails(submission: Submission): string {
  const { person } = submission
  const { document, ...sections } = submission.verifications
  // JSON omits undefined members.
  return JSON.stringify({
    person: { ...person, ssn: undefined },
    verifications: document
      ? { document: { ...document, documentNumber: undefined, photos: undefined }, ...sections }
      : sections,
    decisionReason: submission.decisionReason,
    externalProviderData: submission.externalProviderData,
  })
}

/** Content of the sealed part {@link DETAILS_PART}: all personal data without a token. */
export interface SubmissionDetails {
  /** The person without the SSN. */
  readonly person: Omit<Submission['person'], 'ssn'>
  /** The sections without document number and photo URLs. */
  readonly verifications: {
    readonly document?: Omit<NonNullable<Submission['verifications']['document']>, 'documentNumber' | 'photos'>
    readonly ssn?: Submission['verifications']['ssn']
    readonly database?: Submission['verifications']['database']
  }
  readonly decisionReason?: string
  readonly externalProviderData?: unknown
}

/**
 * Reads the text of the sealed part {@link DETAILS_PART}.
 *
 * @example
 * ```ts
 * import { DETAILS_PART, parseSubmissionDetails, type PiiRevealer, type VerificationRecord } from '@kyc-relay/kyc-core'
 *
 * export async function readPerson(vault: PiiRevealer, { appId, userId, ...record }: VerificationRecord) {
 *   const why = { actor: 'operator:Ada', purpose: 'audit of May' }
 *   const part = { recordId: record.verificationId, part: DETAILS_PART, sealed: record.sealedDetails }
 *   return parseSubmissionDetails(await vault.openRecord({ owner: { appId, userId }, ...why, ...part })).person
 * }
 * ```
 */
export function parseSubmissionDetails(text: string): SubmissionDetails {
  return JSON.parse(text) as SubmissionDetails
}

/** Lists the clear values of a submission that become tokens. */
function tokenizable({ person, verifications }: Submission): ClearValue[] {
  const values: ClearValue[] = []
  if (person.ssn !== undefined) values.push({ kind: 'ssn', value: person.ssn.replaceAll('-', '') })
  const { document } = verifications
  const documentNumber = normaliseDocumentNumber(document?.documentNumber ?? '')
  if (document && documentNumber !== '') {
    values.push({
      kind: 'document_number',
      value: documentNumber,
      documentClass: document.documentClass,
      issuingCountryCode: document.issuingCountryCode,
    })
  }
  return values
}

/** Lists the parts of a submission that are sealed and have no token. */
function sealable(submission: Submission, recordId: string): ClearValue[] {
  const photos = submission.verifications.document?.photos
  const urls = PHOTO_SIDES.flatMap((side): ClearValue[] => {
    const value = photos?.[side]
    return value === undefined ? [] : [{ kind: 'record', recordId, part: photoPart(side), value }]
  })
  return [{ kind: 'record', recordId, part: DETAILS_PART, value: submissionDetails(submission) }, ...urls]
}

/** A vault that returns a clear value in place of its token would put it into the business database. */
function isOf(kind: ClearValue['kind'], value: TokenizedValue | undefined): boolean {
  if (value?.kind !== kind) return false
  return value.kind === 'record' ? ArrayBuffer.isView(value.sealed) : parseToken(value.token)?.field === kind
}

function sealedOf(value: TokenizedValue | undefined): Uint8Array {
  if (value?.kind !== 'record') throw new KycError('VAULT_UNAVAILABLE')
  return value.sealed
}

function tokenOf(values: readonly TokenizedValue[], kind: 'ssn' | 'document_number'): Token | null {
  const found = values.find((value) => value.kind === kind)
  return found && found.kind !== 'record' ? found.token : null
}

/** Options of {@link tokenizeSubmission}. */
export interface TokenizationContext {
  readonly tokenizer: PiiTokenizer
  readonly owner: AppUser
  readonly verificationId: string
  /** Creates the id of a photo job, a UUID. */
  readonly newId: () => string
  /** `tokens` when SSN and document number already are tokens of this vault. */
  readonly pii: 'clear' | 'tokens'
}

/**
 * Replaces the personal data of a valid submission by tokens and sealed parts, in one atomic call of the vault.
 *
 * @throws `VAULT_UNAVAILABLE` (retryable): nothing was written.
 */
export async function tokenizeSubmission(
  submission: Submission,
  { tokenizer, owner, verificationId, newId, pii }: TokenizationContext,
): Promise<TokenizedVerification> {
  const { person, verifications } = submission
  const tokens = pii === 'clear' ? tokenizable(submission) : []
  const sealed = sealable(submission, verificationId)
  const values = [...tokens, ...sealed]
  const answers = await tokenizer.tokenize(owner, values)
  const isAnswered = answers.length === values.length && values.every(({ kind }, index) => isOf(kind, answers[index]))
  if (!isAnswered) throw new KycError('VAULT_UNAVAILABLE')

  const ssn = pii === 'clear' ? tokenOf(answers, 'ssn') : ((person.ssn ?? null) as Token | null)
  const documentNumber =
    pii === 'clear'
      ? tokenOf(answers, 'document_number')
      : ((verifications.document?.documentNumber ?? null) as Token | null)
  const [details, ...photos] = answers.slice(tokens.length)
  const sides = PHOTO_SIDES.filter((side) => verifications.document?.photos?.[side] !== undefined)

  return {
    verificationId,
    schemaVersion: submission.schemaVersion,
    externalVerificationProvider: submission.externalVerificationProvider,
    decision: submission.decision,
    decisionedAt: submission.decisionedAt,
    countryCode: recordedCountry(person.address?.countryCode),
    ssn: ssn && { token: ssn, state: verifications.ssn ? 'VALIDATED' : 'COLLECTED' },
    documentNumber: documentNumber && { token: documentNumber },
    sections: SECTIONS.flatMap((section) => {
      const found = verifications[section]
      return found ? [{ section, verificationId: found.verificationId, status: found.status }] : []
    }),
    checks: recordedChecks(submission),
    declineCodes: declineCodes(verifications),
    sealedDetails: sealedOf(details),
    photoJobs: sides.map((side, index) => ({ photoJobId: newId(), side, sealedUrl: sealedOf(photos[index]) })),
  }
}
