import { open } from 'lmdb'

type Key = readonly (string | number)[]
type Work<Given extends unknown[], T> = (...given: Given) => T

/** Opens the rows of a folder. Their keys are lists: the kind of the row, its app, its id. */
export function openRows(path: string) {
  // A promise resolves when the write is on the disk.
  const db = open<unknown, (string | number)[]>({ path, overlappingSync: false })
  const get = <T>(...key: Key) => db.get([...key]) as T | undefined
  const put = (key: Key, row: unknown) => void db.put([...key], row)

  return {
    get,
    put,

    /** A method as one transaction: all of it or, when it throws, nothing. */
    atomic: <Given extends unknown[], T>(work: Work<Given, T>): Work<Given, Promise<T>> => {
      return async (...given) => await db.childTransaction(() => work(...given))
    },

    /** A method that reads. A handle would see what it saw last until it is told not to. */
    reading: <Given extends unknown[], T>(work: Work<Given, T>): Work<Given, Promise<T>> => {
      return async (...given) => {
        db.resetReadTxn()
        return work(...given)
      }
    },

    /** Rows whose keys begin with these parts. */
    rows<T>(...prefix: string[]): T[] {
      const range = db.getRange({ start: prefix, end: [...prefix, '\u{10ffff}'] })
      return [...range].filter(({ key }) => prefix.every((part, n) => key[n] === part)).map(({ value }) => value as T)
    },

    /** Counts up: the order in which rows were added. */
    nextPosition(): number {
      const position = (get<number>('position') ?? 0) + 1
      put(['position'], position)
      return position
    },

    close: () => db.close(),
  }
}
