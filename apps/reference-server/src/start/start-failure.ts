import { StorageError } from '@kyc-relay/storage-drizzle/sqlite'
import { EnvError } from '../env.js'
import { errorCode } from '../operations/log.js'
import { StartError } from './start-error.js'

/**
 * What is printed when the server could not start: in production a line of JSON as the log writes them, for whoever
 * collects the output; elsewhere the text alone, for people.
 */
export function startFailureLine(error: unknown, { production, at }: { production: boolean; at: Date }): string {
  const code = errorCode(error)
  // Only texts of ours: any other message could quote a path's content or a value.
  const text =
    error instanceof EnvError || error instanceof StartError || error instanceof StorageError
      ? error.message
      : `The server could not start (${code}).`
  // 50 is pino's number of the level error.
  return production ? `${JSON.stringify({ level: 50, time: at.toISOString(), code, msg: text })}\n` : `${text}\n`
}
