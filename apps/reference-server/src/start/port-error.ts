import { errorCode } from '../operations/log.js'
import { StartError } from './start-error.js'

/** The setting of each listener's port. */
export const portSettings = { api: 'PORT', internal: 'INTERNAL_PORT', secure: 'SECURE_PORT' } as const

/** Converts an error of listening to a text with the names of the settings. */
export function portError(error: unknown, setting: string, hostSetting: string): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartError('PORT_UNUSABLE', `The port in ${setting} is already in use. Set it to a free port.`)
    case 'EACCES':
      return new StartError(
        'PORT_UNUSABLE',
        `This user may not use the port in ${setting}. Set it to a port above 1023.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError('HOST_UNUSABLE', `${hostSetting} is neither an address nor a host name of this machine.`)
    default:
      return error
  }
}
