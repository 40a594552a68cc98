import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const server = fileURLToPath(new URL('../..', import.meta.url))

let folder: string
let program: string

// Half a mebibyte of lines: eight times what a pipe holds, half of what is kept for a reader.
const lines = 1_000
const source = `
import { createLog } from './src/operations/log.ts'

const [, , timeoutMs] = process.argv
// As main.ts does: it makes a pipe one that no write waits for.
process.stdout.on('error', () => undefined)
const log = createLog({ logLevel: 'info' })
for (let n = 0; n < ${lines}; n++) log.info('line', { detail: 'x'.repeat(480), count: n })
log.error('the last line')
process.send?.('flushing')
log.flush(Number(timeoutMs)).finally(() => process.exit(70))
`

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-last-line-'))
  // Inside the workspace, so that the packages are found.
  mkdirSync(join(server, 'node_modules'), { recursive: true })
  const compiled = mkdtempSync(join(server, 'node_modules/.compiled-'))
  program = join(compiled, 'program.mjs')
  buildSync({
    stdin: { contents: source, resolveDir: server, loader: 'ts' },
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(join(program, '..'), { recursive: true, force: true })
})

const last = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''

function exitOf(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

describe('the last log line before an exit', () => {
  it('is in the file that standard output is', async () => {
    const path = join(folder, 'out.log')
    const child = spawn(process.execPath, [program, '10000'], { stdio: ['ignore', openSync(path, 'w'), 'inherit'] })
    expect(await exitOf(child)).toBe(70)
    const text = readFileSync(path, 'utf8')
    expect(JSON.parse(last(text))).toMatchObject({ msg: 'the last line' })
    expect(text.trimEnd().split('\n')).toHaveLength(lines + 1)
  })

  it('reaches a reader of a pipe who begins after the flush', async () => {
    const child = spawn(process.execPath, [program, '10000'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    const ended = exitOf(child)
    await new Promise((resolve) => child.once('message', resolve))
    let text = ''
    const read = new Promise((resolve) => child.stdout?.once('close', resolve))
    child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    expect(await ended).toBe(70)
    await read
    expect(JSON.parse(last(text))).toMatchObject({ msg: 'the last line' })
    expect(text.trimEnd().split('\n')).toHaveLength(lines + 1)
  })

  it('is not waited for where nobody reads', async () => {
    const child = spawn(process.execPath, [program, '100'], { stdio: ['ignore', 'pipe', 'inherit'] })
    expect(await exitOf(child)).toBe(70)
  })

  it('is not waited for where the reader has gone', async () => {
    const gone = join(folder, 'gone.sh')
    const child = spawn('sh', ['-c', '{ "$0" "$1" 600000; echo $? >"$2"; } | true', process.execPath, program, gone])
    await exitOf(child)
    expect(readFileSync(gone, 'utf8').trim()).toBe('70')
  })

  it.skipIf(process.platform !== 'linux')('is not waited for where the disk is full', async () => {
    const child = spawn(process.execPath, [program, '600000'], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'inherit'],
    })
    expect(await exitOf(child)).toBe(70)
  })
})
