import { randomUUID } from 'node:crypto'
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Age after which a temporary file counts as left by a crash. A younger one may belong to a running process. */
const leftoverAgeMs = 60 * 60 * 1_000

interface Content {
  readonly bytes: string | Uint8Array
  /** Mode of the new file. Default: 0600, only for this user. */
  readonly mode?: number
}

/**
 * Replaces a file atomically: writes a temporary file, syncs it, renames it and syncs the folder.
 *
 * @param beside Path of the temporary file, in the same file system. Default: a name in the same folder.
 */
export async function replaceFile(path: string, content: Content, beside = besideOf(path)): Promise<void> {
  try {
    await writeSynced(beside, content)
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Creates a file atomically and never replaces one. Of several concurrent processes, one creates it.
 *
 * @returns false when the file already exists.
 */
export async function createFile(path: string, content: Content): Promise<boolean> {
  const beside = besideOf(path)
  try {
    await writeSynced(beside, content)
    const made = await nameOnce(beside, path)
    await syncFolder(dirname(path))
    return made
  } finally {
    await rm(beside, { force: true })
  }
}

/** Syncs the folder: only then is a new name on disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes temporary files of {@link replaceFile} and {@link createFile} that crashes left for this path. */
export async function removeLeftoversOf(path: string, now: Date): Promise<void> {
  await removeLeftovers(dirname(path), now, (name) => name.startsWith(`${basename(path)}.`) && name.endsWith(suffix))
}

/** Removes files of a folder that have not been written to for an hour. */
export async function removeLeftovers(
  folder: string,
  now: Date,
  isLeftover: (name: string) => boolean = () => true,
): Promise<void> {
  for (const name of (await readdir(folder)).filter(isLeftover)) {
    const path = join(folder, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => now.getTime() - mtimeMs,
      () => 0,
    )
    if (age > leftoverAgeMs) await rm(path, { force: true })
  }
}

const suffix = '.unfinished'

function besideOf(path: string): string {
  return `${path}.${randomUUID()}${suffix}`
}

async function writeSynced(path: string, { bytes, mode = 0o600 }: Content): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Links the file to its name unless the name exists; a rename would replace it. */
async function nameOnce(beside: string, path: string): Promise<boolean> {
  try {
    await link(beside, path)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EEXIST') return false
    // The file system has no hard links: the later of two concurrent first starts may replace the file.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error
    if (await stat(path).catch(() => null)) return false
    await rename(beside, path)
    return true
  }
}
