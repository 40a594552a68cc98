import { styleText } from 'node:util'
import { StorageError } from '@kyc-relay/storage-drizzle/internal'
import { EnvError } from '../env.js'
import { errorCode, type Terminal } from '../operations/log.js'
import { StartError } from './start-error.js'

/**
 * Formats the error of a failed start: in production as a JSON log line, otherwise and on a terminal as text, in red if
 * the terminal has colours.
 */
export function startFailureLine(
  error: unknown,
  { production, terminal = null, at }: { production: boolean; terminal?: Terminal | null; at: Date },
): string {
  const code = errorCode(error)
  // Prints only fixed texts: other messages could quote file content or a value.
  const text =
    error instanceof EnvError || error instanceof StartError || error instanceof StorageError
      ? error.message
      : `The server could not start (${code}).`
  if (terminal !== null) return `${terminal.coloured ? styleText('red', text, { validateStream: false }) : text}\n`
  // 50 is pino's number of the level error.
  return production ? `${JSON.stringify({ level: 50, time: at.toISOString(), code, msg: text })}\n` : `${text}\n`
}
