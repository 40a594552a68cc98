import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents, only for this user.
 *
 * It does not use `recursive` of Node's `mkdir`, which never ends below a folder such as `/proc`, where creating a
 * folder gives `ENOENT`.
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
      // Another process may have created the folder.
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
