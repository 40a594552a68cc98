import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { AuditLog, AuditSeal, SealedCheckpoint } from '@kyc-relay/kyc-core/audit'
import { parseCheckpoints } from './checkpoint-file.js'

const newLine = 0x0a

/**
 * `MATCHING`: every compared entry equals its checkpoint. `BEHIND`: an entry is missing or different. `UNREADABLE`:
 * the file of checkpoints cannot be read.
 */
export type CheckpointVerdict = 'MATCHING' | 'BEHIND' | 'UNREADABLE'

/**
 * Checks whether an audit log lacks entries of its checkpoints. If so, an older copy of the database or another
 * database was restored.
 *
 * Each call reads only new lines of the file. It compares three kinds of checkpoints: the newest of each chain, that of
 * the previous call, and each one followed by a lower one. After a restore, the log grows past its old checkpoints with
 * other entries.
 *
 * A missing file gives no checkpoints, and a new file starts from its beginning.
 */
export function createCheckpointComparison(options: {
  readonly path: string
  readonly seal: Pick<AuditSeal, 'checkCheckpoint'>
  readonly log: Pick<AuditLog, 'name' | 'listEntries'>
}): () => Promise<CheckpointVerdict> {
  const { path, seal, log } = options
  let read = { inode: 0, bytes: 0 }
  const newest = new Map<number, SealedCheckpoint>()
  let watched = new Set<SealedCheckpoint>()

  function startOver(inode: number): void {
    read = { inode, bytes: 0 }
    newest.clear()
    watched.clear()
  }

  function take(text: string): void {
    for (const checkpoint of parseCheckpoints(text).checkpoints) {
      if (checkpoint.log !== log.name || seal.checkCheckpoint(checkpoint) !== 'INTACT') continue
      const former = newest.get(checkpoint.chain)
      if (former !== undefined && former.sequence >= checkpoint.sequence) watched.add(former)
      newest.set(checkpoint.chain, checkpoint)
    }
  }

  async function readOn(): Promise<void> {
    const file = await stat(path).catch(nullIfMissing)
    if (file === null) return startOver(0)
    if (file.ino !== read.inode || file.size < read.bytes) startOver(file.ino)
    let rest = Buffer.alloc(0)
    for await (const chunk of createReadStream(path, { start: read.bytes }) as AsyncIterable<Buffer>) {
      const bytes = Buffer.concat([rest, chunk])
      const end = bytes.lastIndexOf(newLine) + 1
      take(bytes.subarray(0, end).toString('utf8'))
      read.bytes += end
      rest = bytes.subarray(end)
    }
  }

  async function isThere({ chain, sequence, mac }: SealedCheckpoint): Promise<boolean> {
    const [entry] = await log.listEntries({ chain, after: sequence - 1, limit: 1 })
    return entry?.sequence === sequence && entry.mac === mac
  }

  return async () => {
    try {
      await readOn()
    } catch {
      return 'UNREADABLE'
    }
    for (const checkpoint of newest.values()) watched.add(checkpoint)
    for (const checkpoint of watched) {
      if (!(await isThere(checkpoint))) return 'BEHIND'
    }
    watched = new Set(newest.values())
    return 'MATCHING'
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
