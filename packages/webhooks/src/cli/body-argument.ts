import { readFile } from 'node:fs/promises'
import { UsageError, type Terminal } from './command.js'

/** Reads a body as bytes from a file, or from standard input for `-` or nothing. */
export async function readBodyArgument(path: string | undefined, terminal: Terminal): Promise<Uint8Array> {
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
