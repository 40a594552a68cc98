import { StorageError } from '../../storage-error.js'

/** The same port, except that damage which a method meets, a read as well as a write, is told to `fail`. */
export function watchFailures<Port extends object>(port: Port, fail: (error: StorageError) => void): Port {
  const tell = (error: unknown): void => {
    if (error instanceof StorageError && error.code === 'STORE_FAILED') fail(error)
  }
  const members = Object.entries(port).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member] as const
    const watched = (...parameters: unknown[]): unknown => {
      const answer: unknown = Reflect.apply(member, port, parameters)
      // Beside the caller's own handling, not before it: an answer is not held up.
      if (answer instanceof Promise) answer.catch(tell)
      return answer
    }
    return [name, watched] as const
  })
  return Object.fromEntries(members) as Port
}
