import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Linux keeps it in memory. A kill loses nothing of it, as it loses nothing of the page cache of a disk. */
const memory = '/dev/shm'

/**
 * Runs `work` in a new temporary folder and removes the folder afterwards. `inMemory` asks for a file system in memory: for
 * campaigns that kill processes, whose time would go into syncs.
 */
export async function inTemporaryFolder(work, { inMemory = false } = {}) {
  const place = inMemory && existsSync(memory) ? memory : os.tmpdir()
  const folder = mkdtempSync(path.join(place, 'kyc-relay-proof-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
