import { KycError } from '@kyc-relay/kyc-core'
import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import type { Env } from '../env.js'
import { StartError } from '../start/start-error.js'
import { openDirectoryPhotoStore } from './directory-photo-store.js'
import { createS3PhotoStore } from './s3-photo-store.js'

/** Opens the configured photo store: a folder or a bucket. The secure endpoint needs none. */
export async function openPhotoStore(
  { photoStorage, role }: Pick<Env, 'photoStorage' | 'role'>,
  now: () => Date,
): Promise<PhotoStore> {
  if (role === 'secure') return { put: noPhotoStore, get: noPhotoStore, erase: noPhotoStore }
  if (photoStorage.kind === 'directory') {
    return openDirectoryPhotoStore(photoStorage.folder, now).catch((error: unknown) => {
      if (!(error instanceof KycError)) throw error
      throw new StartError(
        'PHOTO_STORAGE_UNUSABLE',
        'PHOTO_STORAGE: the folder cannot be created or written to. Set it to a folder that this process may write to, or correct its owner.',
      )
    })
  }
  const { kind: _kind, ...location } = photoStorage
  return createS3PhotoStore(location)
}

function noPhotoStore(): Promise<never> {
  return Promise.reject(new KycError('PHOTO_STORE_UNAVAILABLE'))
}
