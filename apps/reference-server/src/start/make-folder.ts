import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it where they are missing, for this user alone.
 *
 * Not `recursive` of Node's `mkdir`: below a folder that is there and answers `ENOENT` all the same, as `/proc` does, it
 * tries for ever.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (await isFolder(path)) return
    const above = dirname(path)
    const lacksAbove = error instanceof Error && 'code' in error && error.code === 'ENOENT' && above !== path
    if (!lacksAbove) throw error
    await makeFolder(above)
    await mkdir(path, { mode: 0o700 }).catch(async (again: unknown) => {
      // Another start may have been first.
      if (!(await isFolder(path))) throw again
    })
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
