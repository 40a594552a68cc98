// What: compares the inodes of the open database file and its WAL with those at their paths.
// Why: after a file is replaced, for example by a restore, SQLite keeps writing to the removed one without an error.
// Cost: two `stat` calls a second while there are writes.
// Without it: acknowledged submissions are written to a file that nobody can open any more.

import { statSync } from 'node:fs'

/** Checks whether a path still leads to the open files. */
export interface FileIdentity {
  /** Returns false after the database file or its WAL was removed or replaced. */
  isSame(): boolean
}

/**
 * Remembers the identity of the open file, and of its WAL when it first exists: SQLite keeps both while a connection is
 * open. It does not open them: closing a file would release the locks of SQLite.
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
        // An unreadable folder proves nothing about the file.
        return true
      }
    },
  }
}
