import { StorageError } from '../../storage-error.js'

/** Wraps a port so that damage found by any method, read or write, is reported to `fail`. */
export function watchFailures<Port extends object>(port: Port, fail: (error: StorageError) => void): Port {
  const tell = (error: unknown): void => {
    if (error instanceof StorageError && error.code === 'STORE_FAILED') fail(error)
  }
  const members = Object.entries(port).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member] as const
    const watched = (...parameters: unknown[]): unknown => {
      const answer: unknown = Reflect.apply(member, port, parameters)
      // Handled in parallel, so that the caller's result is not delayed.
      if (answer instanceof Promise) answer.catch(tell)
      return answer
    }
    return [name, watched] as const
  })
  return Object.fromEntries(members) as Port
}
