import { errorCode } from '../operations/log.js'
import { StartError } from './start-error.js'

/** The setting of each listener's port. */
export const portSettings = { api: 'PORT', internal: 'INTERNAL_PORT', secure: 'SECURE_PORT' } as const

/** Checks whether {@link portError} made this error because another process or setting uses the port. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof StartError && errorCode(error.cause) === 'EADDRINUSE'
}

/** Converts an error of listening to a text with the names of the settings and the port. */
export function portError(
  error: unknown,
  { setting, port, hostSetting }: { readonly setting: string; readonly port: number; readonly hostSetting: string },
): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartError(
        'PORT_UNUSABLE',
        `${setting}: another process or setting uses port ${port}. Stop that process, or set ${setting} to a free port from 1024 to 65535.`,
        { cause: error },
      )
    case 'EACCES':
      return new StartError(
        'PORT_UNUSABLE',
        `${setting}: this user may not use port ${port}. Set ${setting} to a port from 1024 to 65535.`,
        { cause: error },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(
        'HOST_UNUSABLE',
        `${hostSetting}: expected an address or a host name of this machine. Correct it, or remove it for the default.`,
      )
    default:
      return error
  }
}
