export type { PhotoJobStore } from './photo-job-store.js'
export type { PhotoStore } from './photo-store.js'
export { MAX_PHOTO_BYTES, photoFormat } from './photo-format.js'
