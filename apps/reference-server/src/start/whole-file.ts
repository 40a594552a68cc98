import { randomUUID } from 'node:crypto'
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** What a crash left half-written is removed once it is this old: another process may be writing now. */
const leftoverAgeMs = 60 * 60 * 1_000

interface Content {
  readonly bytes: string | Uint8Array
  /** Mode of the new file. Default: 0600, for this user alone. */
  readonly mode?: number
}

/**
 * Writes a file that is whole whenever it has its name: under another name first, forced to disk, then renamed, and the new name
 * forced to disk. Replaces a file of that name.
 *
 * @param beside Where it is written first, in the same file system. Default: a name in the same folder.
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
 * The same, but never replaces a file: of several processes that make it at once, one does.
 *
 * @returns false when there was a file of that name.
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

/** A new name in a folder is on disk once the folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes what crashes left of {@link replaceFile} and {@link createFile} for this path. */
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

/** Gives the file its name unless that is taken: a rename would replace. */
async function nameOnce(beside: string, path: string): Promise<boolean> {
  try {
    await link(beside, path)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EEXIST') return false
    // A file system without hard links: of two first starts at the same instant the later one may replace the file there.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error
    if (await stat(path).catch(() => null)) return false
    await rename(beside, path)
    return true
  }
}
