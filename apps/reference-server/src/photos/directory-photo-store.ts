import { createHash, randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { KycError, type AppUser } from '@kyc-relay/kyc-core'
import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import { makeFolder } from '../start/make-folder.js'
import { removeLeftovers, replaceFile, syncFolder } from '../start/whole-file.js'

/** What a crash left half-written is here, and removed at a later start. */
const leftoverFolder = 'unfinished'

/** A name that says nothing: the same photo has the same one, so that a photo stored twice is there once. */
export function photoName({ appId, userId }: AppUser, photoJobId: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['kyc-relay photo', appId, userId, photoJobId]))
    .digest('hex')
}

/**
 * Photos as files of one folder, which is made if missing, for this user alone (0700, files 0600).
 *
 * A photo is written beside its place, forced to disk and renamed into it.
 */
export async function openDirectoryPhotoStore(folder: string, now: () => Date): Promise<PhotoStore> {
  const unfinished = join(folder, leftoverFolder)
  await available(async () => {
    await makeFolder(unfinished)
    await removeLeftovers(unfinished, now())
  })

  const placeOf = (owner: AppUser, photoJobId: string) => {
    const name = photoName(owner, photoJobId)
    const inside = join(folder, name.slice(0, 2))
    return { inside, path: join(inside, name) }
  }

  async function put(owner: AppUser, photoJobId: string, sealed: Uint8Array): Promise<void> {
    const { inside, path } = placeOf(owner, photoJobId)
    await makeFolder(inside)
    await replaceFile(path, { bytes: sealed }, join(unfinished, randomUUID()))
    await syncFolder(folder)
  }

  return {
    put: ({ owner, photoJobId }, sealed) => available(() => put(owner, photoJobId, sealed)),
    get: ({ owner, photoJobId }) =>
      available(async () => {
        try {
          return new Uint8Array(await readFile(placeOf(owner, photoJobId).path))
        } catch (error) {
          if (isMissing(error)) return null
          throw error
        }
      }),
    erase: (owner, photoJobIds) =>
      available(async () => {
        for (const photoJobId of photoJobIds) await rm(placeOf(owner, photoJobId).path, { force: true })
      }),
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Errors of the file system name paths: they do not leave this file. */
async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    throw new KycError('PHOTO_STORE_UNAVAILABLE')
  }
}
