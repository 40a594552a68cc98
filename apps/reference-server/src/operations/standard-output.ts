import type { DestinationStream } from 'pino'
import SonicBoom from 'sonic-boom'

/** So much may wait for a reader; what comes on top of it is dropped. */
const mostWaitingBytes = 1024 * 1024

/** A flush lasts so many times its patience at most, however slowly the reader reads. */
const mostPatience = 5

/** Standard output as a place for log lines. */
export interface StandardOutput {
  readonly stream: DestinationStream
  droppedLines(): number
  /** Resolves when every line was written, or when nobody took any for `patienceMs`; after five times that at the latest. */
  flush(patienceMs: number): Promise<void>
}

/**
 * Writes to standard output without ever waiting for its reader: a full pipe or a closed one must not stop the service.
 *
 * Not pino's own destination: that one waits at the exit for the reader to come back.
 *
 * Lines are kept up to 1 MiB while nobody reads, or while a disk is full, then dropped and counted.
 *
 * @param fd File descriptor. Default: 1, standard output.
 */
export function createStandardOutput(fd = 1): StandardOutput {
  const output = new SonicBoom({ fd, sync: false, maxLength: mostWaitingBytes })
  let dropped = 0
  let closed = false
  /** Whether lines wait. `flush` of SonicBoom does not wait for them: it answers at once where lines are written as they come. */
  let isWaiting = false
  output.on('drop', () => {
    dropped += 1
  })
  output.on('drain', () => {
    isWaiting = false
  })
  output.on('error', (error: NodeJS.ErrnoException) => {
    // There may be space again: the next line tries once more what this one left.
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return
    // The reader is gone (EPIPE): nothing written from now on can arrive.
    if (!closed) dropped += 1
    closed = true
  })
  return {
    stream: {
      write(line) {
        if (closed) {
          dropped += 1
          return
        }
        const droppedBefore = dropped
        output.write(line)
        if (dropped === droppedBefore) isWaiting = true
      },
    },
    droppedLines: () => dropped,
    flush: (patienceMs) =>
      new Promise((resolve) => {
        if (closed || !isWaiting) return resolve()
        const end = () => {
          clearTimeout(late)
          clearTimeout(latest)
          output.off('drain', end).off('error', end).off('write', onWrite)
          resolve()
        }
        let late = setTimeout(end, patienceMs)
        const latest = setTimeout(end, patienceMs * mostPatience)
        const onWrite = () => {
          clearTimeout(late)
          late = setTimeout(end, patienceMs)
        }
        output.on('drain', end).on('error', end).on('write', onWrite)
      }),
  }
}
