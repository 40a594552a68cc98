import { statSync } from 'node:fs'

/** Knows whether a path still leads to the files that are open. */
export interface FileIdentity {
  /** False once the database file, or its WAL, was removed or is another file. */
  isSame(): boolean
}

/**
 * Remembers which file is open, and its WAL from the first look at which it is there: SQLite keeps both for as long as a
 * connection is open. Without opening them: closing a file gives back the locks that SQLite holds on it.
 */
export function rememberFiles(path: string): FileIdentity {
  const identify = (file: string): string | null => {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
    return stats === undefined ? null : `${stats.dev} ${stats.ino}`
  }
  const file = identify(path)
  let wal = identify(`${path}-wal`)
  return {
    isSame() {
      try {
        const walNow = identify(`${path}-wal`)
        wal ??= walNow
        return identify(path) === file && walNow === wal
      } catch {
        // A folder that cannot be looked into says nothing about what is in it.
        return true
      }
    },
  }
}
