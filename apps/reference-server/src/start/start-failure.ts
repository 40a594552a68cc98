import { StorageError } from '@kyc-relay/storage-drizzle/sqlite'
import { EnvError } from '../env.js'
import { errorCode } from '../operations/log.js'
import { StartError } from './start-error.js'

/** Formats the error of a failed start: in production as a JSON log line, otherwise as plain text. */
export function startFailureLine(error: unknown, { production, at }: { production: boolean; at: Date }): string {
  const code = errorCode(error)
  // Prints only fixed texts: other messages could quote file content or a value.
  const text =
    error instanceof EnvError || error instanceof StartError || error instanceof StorageError
      ? error.message
      : `The server could not start (${code}).`
  // 50 is pino's number of the level error.
  return production ? `${JSON.stringify({ level: 50, time: at.toISOString(), code, msg: text })}\n` : `${text}\n`
}
