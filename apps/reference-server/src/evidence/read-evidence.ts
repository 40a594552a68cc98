import {
  DETAILS_PART,
  type AppUser,
  parseSubmissionDetails,
  type VerificationRecord,
  type VerificationStore,
} from '@kyc-relay/kyc-core'
import {
  type KycStatusCorrection,
  type KycStatusCorrections,
  parseToken,
  type SubmissionDetails,
  photoImagePart,
  type PhotoFormat,
  type PhotoRecord,
  type PhotoSide,
} from '@kyc-relay/kyc-core/internal'
import { photoFormat, type PhotoJobStore, type PhotoStore } from '@kyc-relay/kyc-core/photos'
import { sha256 } from '../sha256.js'
import { openSealedPart, type SealedParts } from './open-sealed-part.js'
import type { VerificationOverview } from '../storage/verification-overview.js'

/** Who reveals something, and why. The vault records both before it opens anything. */
export interface Revealer {
  readonly actor: string
  readonly purpose: string
}

/** Dependencies of evidence. */
export interface EvidenceDeps {
  readonly overview: Pick<VerificationOverview, 'findOwner'>
  readonly verifications: Pick<VerificationStore, 'findVerification'>
  readonly photoJobs: Pick<PhotoJobStore, 'listPhotos'>
  readonly corrections: Pick<KycStatusCorrections, 'listCorrections'>
  readonly photos: Pick<PhotoStore, 'get'>
  readonly vault: SealedParts
}

/** What is kept of a verification without personal data. It stays after an erasure. */
export type KeptEvidence = ReturnType<typeof keptEvidence>

/** The whole record of a verification, with the SSN masked and without the document number. */
export type Evidence = KeptEvidence & Omit<SubmissionDetails, 'person'> & { readonly person: MaskedPerson }

type MaskedPerson = SubmissionDetails['person'] & { readonly ssn?: string }

/** Result of looking at the evidence of a verification. */
export type EvidenceAnswer =
  | { readonly kind: 'found'; readonly evidence: Evidence }
  | { readonly kind: 'erased'; readonly kept: KeptEvidence }
  | { readonly kind: 'unknown' }

/** Result of looking at a photo. */
export type PhotoAnswer =
  | { readonly kind: 'found'; readonly bytes: Uint8Array; readonly format: PhotoFormat | null; readonly sha256: string }
  | { readonly kind: 'erased'; readonly kept: KeptEvidence }
  | { readonly kind: 'not_stored' }
  | { readonly kind: 'unknown' }

/** A verification as it is stored. */
export interface FoundRecord {
  readonly owner: AppUser
  readonly record: VerificationRecord
  readonly kept: KeptEvidence
}

/** Opens the record of a verification. Nothing is opened unless the vault has recorded who reveals it. */
export async function readEvidence(
  verificationId: string,
  revealer: Revealer,
  deps: EvidenceDeps,
): Promise<EvidenceAnswer> {
  const found = await findRecord(verificationId, deps)
  return found === null ? { kind: 'unknown' } : openEvidence(found, revealer, deps)
}

/** Opens a record that was read. */
export async function openEvidence(
  { owner, record, kept }: FoundRecord,
  revealer: Revealer,
  deps: Pick<EvidenceDeps, 'vault'>,
): Promise<Exclude<EvidenceAnswer, { readonly kind: 'unknown' }>> {
  const part = { recordId: record.verificationId, part: DETAILS_PART, sealed: record.sealedDetails }
  const text = await openSealedPart({ owner, ...revealer, ...part }, record, deps.vault)
  if (text === null) return { kind: 'erased', kept }
  const { person, ...details } = parseSubmissionDetails(text)
  return { kind: 'found', evidence: { ...kept, ...details, person: { ...person, ...maskedSsn(record) } } }
}

/** Opens a stored photo in the same way. */
export async function readPhoto(
  { verificationId, side }: { readonly verificationId: string; readonly side: PhotoSide },
  revealer: Revealer,
  deps: EvidenceDeps,
): Promise<PhotoAnswer> {
  const found = await findRecord(verificationId, deps)
  if (found === null) return { kind: 'unknown' }
  const { owner, record, photos, kept } = found
  const photo = photos.find((one) => one.side === side)
  if (photo === undefined) return { kind: 'unknown' }
  if (photo.state === 'ERASED') return { kind: 'erased', kept }
  if (photo.state !== 'STORED') return { kind: 'not_stored' }
  const sealed = await deps.photos.get({ owner, photoJobId: photo.photoJobId })
  // An erasure removes photos last. The file of a job read before it can be gone.
  if (sealed === null) return { kind: 'not_stored' }
  const part = { recordId: verificationId, part: photoImagePart(side), sealed }
  const text = await openSealedPart({ owner, ...revealer, ...part }, record, deps.vault)
  if (text === null) return { kind: 'erased', kept }
  const bytes = Buffer.from(text, 'base64')
  return { kind: 'found', bytes, format: photoFormat(bytes), sha256: sha256(bytes).toString('base64') }
}

async function findRecord(verificationId: string, deps: EvidenceDeps) {
  const owner = await deps.overview.findOwner(verificationId)
  if (owner === null) return null
  const record = await deps.verifications.findVerification(owner, verificationId)
  if (record === null) return null
  const photos = await deps.photoJobs.listPhotos(owner, verificationId)
  const corrections = await deps.corrections.listCorrections(owner.userId)
  return { owner, record, photos, kept: keptEvidence(record, photos, corrections) }
}

function maskedSsn({ ssn }: VerificationRecord): { readonly ssn?: string } {
  const lastFour = ssn === null ? null : (parseToken(ssn.token)?.lastFour ?? null)
  return lastFour === null ? {} : { ssn: `***-**-${lastFour}` }
}

/** Returns what is kept of a verification without personal data. */
export function keptEvidence(
  record: VerificationRecord,
  photos: readonly PhotoRecord[],
  corrections: readonly KycStatusCorrection[],
) {
  const { sealedDetails: _, ssn, documentNumber, result, ...rest } = record
  return {
    ...rest,
    status: result.status,
    message: result.message,
    // An erasure removes the token of the SSN. The section stays, and it means that the SSN was validated.
    ssnState: ssn?.state ?? (rest.sections.some(({ section }) => section === 'ssn') ? 'VALIDATED' : null),
    hasDocumentNumber: documentNumber !== null,
    /** Corrections of the user's KYC status by operators. */
    corrections: corrections.map(({ userId: _, ...correction }) => correction),
    photos: photos.map(({ photoJobId: _, ...photo }) => photo),
  }
}
