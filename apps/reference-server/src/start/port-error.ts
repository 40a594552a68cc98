import { errorCode } from '../operations/log.js'
import { StartError } from './start-error.js'

/** The setting of each listener's port. */
export const portSettings = { api: 'PORT', internal: 'INTERNAL_PORT', secure: 'SECURE_PORT' } as const

/** What keeps a listener from its port or host, by the names of the settings. */
export function portError(error: unknown, setting: string, hostSetting: string): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartError('PORT_UNUSABLE', `${setting} is taken: something listens there. Set it to a free port.`)
    case 'EACCES':
      return new StartError('PORT_UNUSABLE', `${setting} is not allowed to this user: take one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError('HOST_UNUSABLE', `${hostSetting} is not an address of this machine, nor a name of one.`)
    default:
      return error
  }
}
