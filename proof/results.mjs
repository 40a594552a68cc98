import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('./results/', import.meta.url))

/** Adds a result with its date and machine to the file of its campaign, and returns the line. */
export function addResult(result) {
  mkdirSync(folder, { recursive: true })
  const machine = `${os.cpus()[0]?.model ?? 'unknown processor'}, ${os.cpus().length} cores, Node ${process.version}`
  const line = JSON.stringify({ ...result, at: new Date().toISOString(), machine })
  appendFileSync(path.join(folder, `${result.campaign}.jsonl`), `${line}\n`)
  return line
}

/** Every result that was written here, oldest first, by campaign. */
export function readResults() {
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'))
  return Object.fromEntries(
    files.map((file) => [
      path.basename(file, '.jsonl'),
      readFileSync(path.join(folder, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ]),
  )
}
