import { inspect } from 'node:util'

/** Calls that a failure lists. */
const mostCalls = 4

/** Remembers the last calls of stores, so that a failed case can say which call gave what. */
export interface RecordedCalls {
  /** Wraps the methods of a store. */
  record<Store extends object>(store: Store): Store
  /** Runs a case. If it fails, its error ends with the last calls. */
  explain(run: () => Promise<void>): Promise<void>
}

/** Creates an empty record of calls. */
export function createRecordedCalls(): RecordedCalls {
  // Turned into text only for a failure: that takes longer than most calls of a store in memory.
  const calls: (() => string)[] = []

  function add(call: () => string): void {
    calls.push(call)
    if (calls.length > mostCalls) calls.shift()
  }

  return {
    record: <Store extends object>(store: Store): Store =>
      new Proxy(store, {
        get(target, name, receiver): unknown {
          const method: unknown = Reflect.get(target, name, receiver)
          if (typeof method !== 'function') return method
          return (...given: unknown[]): unknown => {
            const call = () => `  ${String(name)}(${given.map(textOf).join(', ')})`
            const answer: unknown = Reflect.apply(method, target, given)
            if (!(answer instanceof Promise)) return answer
            return answer.then(
              (value: unknown) => {
                add(() => `${call()} gave ${textOf(value)}`)
                return value
              },
              (error: unknown) => {
                add(() => `${call()} rejected`)
                throw error
              },
            )
          }
        },
      }),

    async explain(run) {
      try {
        await run()
      } catch (error) {
        if (error instanceof Error && calls.length > 0) {
          const heading = `The last calls, oldest first:`
          throw new Error(`${error.message}\n${heading}\n${calls.map((call) => call()).join('\n')}`, { cause: error })
        }
        throw error
      }
    },
  }
}

function textOf(value: unknown): string {
  const text = inspect(value, {
    depth: 4,
    breakLength: Infinity,
    maxArrayLength: 5,
    maxStringLength: 60,
    sorted: false,
  })
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}
