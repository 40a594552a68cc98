import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A Node process of the test: its lines can be awaited, and it ends with the test. */
export interface TestProcess {
  /** Resolves with the next line that starts with `beginning`. */
  line(beginning: string): Promise<string>
  kill(signal: NodeJS.Signals): void
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  readonly lines: readonly string[]
}

export function startProgram(file: string, parameters: readonly string[] = []): TestProcess {
  const child: ChildProcess = spawn(process.execPath, [file, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((look) => look())
  if (child.stdout === null) throw new Error('no output')
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  let over = false
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      over = true
      resolve(signal ?? code ?? -1)
      wake()
    })
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    lines,
    ended,
    kill: (signal) => void child.kill(signal),
    line: (beginning) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => line.startsWith(beginning))
          if (found === undefined && !over) return
          waiting.delete(look)
          if (found === undefined) reject(new Error(`ended without "${beginning}"`))
          else resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}
