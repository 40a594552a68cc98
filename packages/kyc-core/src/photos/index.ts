export { photoImagePart, photoPart } from '../tokenization/tokenize-submission.js'
export type {
  ClaimedPhotoJob,
  PhotoFence,
  PhotoJobStore,
  PhotoOutcome,
  PhotoRecord,
  PhotoSide,
  PhotoState,
} from './photo-job-store.js'
export { isPhotoFailure, type PhotoFailure } from './photo-failure.js'
export { isPhotoUrl } from '../submission/photo-url.js'
export type { PhotoStore } from './photo-store.js'
export { MAX_PHOTO_BYTES, photoFormat, type PhotoFormat } from './photo-format.js'
export { photoOutcome, type PhotoAttempt } from './photo-outcome.js'
