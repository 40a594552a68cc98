import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Runs `work` in a new temporary folder and removes the folder afterwards. */
export async function inTemporaryFolder(work) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kyc-relay-proof-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
