import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDiskFull } from './errors.js'

/** Below this much free space a database keeps a reserve: 1 GiB. */
const scarceBytes = 1024 * 1024 * 1024
/** Size of the reserve: a sixteenth of the free space, 4 MiB at most. */
const mostReserveBytes = 4 * 1024 * 1024
const reserveShare = 1 / 16
/** Share of the free space that the WAL may take before it is checkpointed: what is in it can make the file grow as much. */
const walShare = 1 / 8
const fewestPages = 64
const pageBytes = 4_096

/** What the file system of a database has left for it. */
export interface DiskRoom {
  /** Frames of the WAL after which it should be checkpointed, `longest` where there is plenty of room. */
  walPages(longest: number): number
  /** Measures the file system, and makes the reserve where little is left. */
  look(): void
  /**
   * Gives the reserve back to the file system: a checkpoint needs some room for what is new in the file.
   *
   * @returns false when there was none.
   */
  releaseReserve(): boolean
}

/** @param path The database file. The reserve is beside it, under its name with `.reserve`. */
export function createDiskRoom(path: string): DiskRoom {
  const reserve = `${path}.reserve`
  let freeBytes = Infinity

  function makeReserve(bytes: number): void {
    const file = openSync(reserve, 'wx', 0o600)
    try {
      // Written, since a file that was only made longer takes no space.
      for (let written = 0; written < bytes; written += pageBytes) writeSync(file, Buffer.alloc(pageBytes, 1))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  return {
    walPages: (longest) => Math.min(longest, Math.max(fewestPages, Math.floor((freeBytes * walShare) / pageBytes))),
    look() {
      try {
        const { bavail, bsize } = statfsSync(dirname(path))
        freeBytes = bavail * bsize
        if (freeBytes >= scarceBytes || freeBytes < 8 * pageBytes) return
        if (statSync(reserve, { throwIfNoEntry: false }) !== undefined) return
        makeReserve(Math.min(mostReserveBytes, freeBytes * reserveShare))
      } catch {
        // No reserve then: a file system that tells nothing, or another process was first.
      }
    },
    releaseReserve() {
      try {
        rmSync(reserve)
        return true
      } catch {
        return false
      }
    },
  }
}

/** Opens a database; on a full disk once more, in the space of its reserve: SQLite makes a file of shared memory beside it. */
export function openWithReserve<T>(path: string | null, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (path === null || !isDiskFull(error) || !createDiskRoom(path).releaseReserve()) throw error
    return open()
  }
}
