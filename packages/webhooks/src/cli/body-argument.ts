import { readFile } from 'node:fs/promises'
import { UsageError, type Terminal } from './command.js'

/** Reads a body as bytes from a file. Without a file, or for `-`, reads standard input. */
export async function readBodyArgument(paths: readonly string[], terminal: Terminal): Promise<Uint8Array> {
  const [path, ...rest] = paths
  if (rest.length > 0) throw new UsageError('Give at most one FILE.')
  if (path === undefined || path === '-') {
    const chunks: Uint8Array[] = []
    for await (const chunk of terminal.stdin) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  try {
    return await readFile(path)
  } catch {
    throw new UsageError(`Cannot read the file ${path}.`)
  }
}
