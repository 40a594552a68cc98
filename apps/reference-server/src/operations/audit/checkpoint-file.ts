import { open, readFile, type FileHandle } from 'node:fs/promises'
import type { AuditLog, AuditSeal, SealedCheckpoint } from '@kyc-relay/kyc-core/audit'
import * as z from 'zod'

const hex = z.string().regex(/^[0-9a-f]{64}$/)

const checkpointLine = z
  .strictObject({
    log: z.enum(['stores', 'vault']),
    chain: z.int().min(0),
    sequence: z.int().min(1),
    mac: hex,
    at: z.iso.datetime(),
    keyId: z.string(),
    seal: hex,
  })
  .transform(({ at, ...rest }): SealedCheckpoint => ({ ...rest, atMs: Date.parse(at) }))

/** Checkpoints of a file, and the number of invalid lines, for example a line truncated by a crash. */
export interface CheckpointFile {
  readonly checkpoints: readonly SealedCheckpoint[]
  readonly unreadableLines: number
}

/** Parses the JSON lines of {@link createCheckpointWriter}. Does not check their MACs. */
export function parseCheckpoints(text: string): CheckpointFile {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const checkpoints = lines.flatMap((line) => {
    try {
      const parsed = checkpointLine.safeParse(JSON.parse(line))
      return parsed.success ? [parsed.data] : []
    } catch {
      return []
    }
  })
  return { checkpoints, unreadableLines: lines.length - checkpoints.length }
}

/** Reads the file; null if it does not exist. */
export async function readCheckpoints(path: string): Promise<CheckpointFile | null> {
  try {
    return parseCheckpoints(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/**
 * Writes checkpoints of audit logs: appends a sealed line for each chain that has grown, and resolves when it is on
 * disk. The file is only appended to.
 *
 * @returns a function that returns the number of written lines.
 */
export function createCheckpointWriter(options: {
  readonly path: string
  readonly seal: AuditSeal
  readonly logs: readonly AuditLog[]
  readonly now: () => Date
}): () => Promise<number> {
  const { path, seal, logs, now } = options
  const written = new Map<string, number>()

  return async () => {
    const heads = await Promise.all(
      logs.map(async (log) => (await log.listHeads()).map((head) => ({ ...head, log: log.name }))),
    )
    const grown = heads.flat().filter(({ log, chain, sequence }) => written.get(`${log} ${chain}`) !== sequence)
    if (grown.length === 0) return 0
    const lines = grown.map((head) => {
      const { atMs, ...checkpoint } = seal.sealCheckpoint({ ...head, atMs: now().getTime() })
      return `${JSON.stringify({ ...checkpoint, at: new Date(atMs).toISOString() })}\n`
    })
    await append(path, lines.join(''))
    for (const { log, chain, sequence } of grown) written.set(`${log} ${chain}`, sequence)
    return lines.length
  }
}

async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a+', 0o600)
  try {
    // A new line must not continue a line truncated by a crash.
    await file.appendFile(`${(await endsInsideLine(file)) ? '\n' : ''}${text}`)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function endsInsideLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString('latin1') !== '\n'
}
