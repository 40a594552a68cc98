import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { KycError, type AppUser } from '@kyc-relay/kyc-core'
import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import { sha256 } from '../sha256.js'
import { makeFolder } from '../start/make-folder.js'
import { removeLeftovers, replaceFile, syncFolder } from '../start/whole-file.js'

/** Folder for files being written. A later start removes the files of a crash. */
const leftoverFolder = 'unfinished'

/** Returns a file name that reveals nothing. The same photo always has the same name, so it is stored once. */
export function photoName({ appId, userId }: AppUser, photoJobId: string): string {
  return sha256(JSON.stringify(['kyc-relay photo', appId, userId, photoJobId])).toString('hex')
}

/**
 * Creates a photo store in one folder. The folder is created if missing, only for this user (0700, files 0600).
 *
 * It writes a photo to a temporary file, syncs it to disk and renames it.
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

/** Converts errors of the file system, which contain paths. */
async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    throw new KycError('PHOTO_STORE_UNAVAILABLE')
  }
}
