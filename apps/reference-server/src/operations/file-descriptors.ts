import { open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { errorCode, type Log } from './log.js'

const checkEveryMs = 1_000
const logEveryMs = 10_000

/**
 * Opens a file every second and logs when no file descriptor is left. The system then closes new connections before the
 * server learns of them.
 *
 * @param nowMs Monotonic clock.
 * @returns What stops it.
 */
export function watchFileDescriptors(log: Log, nowMs: () => number): () => void {
  let loggedMs = -logEveryMs
  const timer = setInterval(() => {
    open(devNull).then(
      (file) => file.close(),
      (error: unknown) => {
        if (errorCode(error) !== 'EMFILE' || nowMs() - loggedMs < logEveryMs) return
        loggedMs = nowMs()
        log.error('no file descriptor is left: connections are closed; raise the limit of open files (ulimit -n)', {
          code: 'EMFILE',
        })
      },
    )
  }, checkEveryMs).unref()
  return () => clearInterval(timer)
}
