import type { DestinationStream } from 'pino'
import SonicBoom from 'sonic-boom'

/** Most bytes that wait for a reader. Further lines are dropped. */
const mostWaitingBytes = 1024 * 1024

/** A flush takes at most this multiple of its timeout, with a slow reader. */
const mostTimeouts = 5

/** Standard output as the destination of log lines. */
export interface StandardOutput {
  readonly stream: DestinationStream
  droppedLines(): number
  /**
   * Resolves when every line is written, or after `timeoutMs` without progress; at the latest after five times that.
   */
  flush(timeoutMs: number): Promise<void>
}

/**
 * Writes to standard output without waiting for its reader: a full or closed pipe must not stop the service.
 *
 * Not pino's destination, which waits for the reader at exit.
 *
 * Without a reader, or on a full disk, it buffers up to 1 MiB of lines, and then drops and counts them.
 */
export function createStandardOutput(): StandardOutput {
  const output = new SonicBoom({ fd: 1, sync: false, maxLength: mostWaitingBytes })
  let dropped = 0
  let closed = false
  /** True while lines wait. `flush` of SonicBoom does not wait for them when lines are written directly. */
  let isWaiting = false
  output.on('drop', () => {
    dropped += 1
  })
  output.on('drain', () => {
    isWaiting = false
  })
  output.on('error', (error: NodeJS.ErrnoException) => {
    // There may be free space later: the next line also writes the rest of this one.
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return
    // The reader has gone (EPIPE), so no further line can arrive.
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
    flush: (timeoutMs) =>
      new Promise((resolve) => {
        if (closed || !isWaiting) return resolve()
        const end = () => {
          clearTimeout(late)
          clearTimeout(latest)
          output.off('drain', end).off('error', end).off('write', onWrite)
          resolve()
        }
        let late = setTimeout(end, timeoutMs)
        const latest = setTimeout(end, timeoutMs * mostTimeouts)
        const onWrite = () => {
          clearTimeout(late)
          late = setTimeout(end, timeoutMs)
        }
        output.on('drain', end).on('error', end).on('write', onWrite)
      }),
  }
}
