import type { DestinationStream } from 'pino'
import SonicBoom from 'sonic-boom'

/** So much may wait for a reader; what comes on top of it is dropped. */
const mostWaitingBytes = 1024 * 1024

/** Standard output as a place for log lines. */
export interface StandardOutput {
  readonly stream: DestinationStream
  droppedLines(): number
  flush(patienceMs: number): Promise<void>
}

/**
 * Writes to standard output without ever waiting for its reader: a full pipe or a closed one must not stop the service.
 *
 * Not pino's own destination: that one waits at the exit for the reader to come back.
 *
 * Lines are kept up to 1 MiB while nobody reads, then dropped and counted.
 */
export function createStandardOutput(): StandardOutput {
  const output = new SonicBoom({ fd: 1, sync: false, maxLength: mostWaitingBytes })
  let dropped = 0
  let closed = false
  output.on('drop', () => {
    dropped += 1
  })
  // The reader is gone (EPIPE): nothing written from now on can arrive.
  output.on('error', () => {
    if (!closed) dropped += 1
    closed = true
  })
  return {
    stream: {
      write(line) {
        if (closed) dropped += 1
        else output.write(line)
      },
    },
    droppedLines: () => dropped,
    async flush(patienceMs) {
      if (closed) return
      let timer: NodeJS.Timeout | undefined
      const flushed = new Promise<void>((resolve) => output.flush(() => resolve()))
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patienceMs)
      })
      await Promise.race([flushed, late])
      clearTimeout(timer)
    },
  }
}
