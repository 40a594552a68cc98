import { readFile } from 'node:fs/promises'
import { UsageError, type Terminal } from './command.js'

/** Reads a body as bytes from a file, or from standard input for `-` or nothing. */
export async function readBodyArgument(paths: readonly string[], terminal: Terminal): Promise<Uint8Array> {
  const [path, ...rest] = paths
  if (rest.length > 0) throw new UsageError('Give one FILE.')
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
