import { equal, ok } from 'node:assert/strict'

/** What a backend provides for the cases of one port. Every case gets a fresh harness on empty data. */
export interface StorageHarness<Handle> {
  /**
   * Opens a handle: the port, and the stores that write its data. A second call opens another one on the same data,
   * like another process. A call after all handles were closed sees the written data.
   */
  open(): Promise<Handle & { close(): Promise<void> }>
  /**
   * Advances the stores' clock by `ms` milliseconds for every handle. The clock does not move otherwise. It starts at
   * 2026-01-02T03:04:05.678Z.
   */
  advance(ms: number): Promise<void>
}

/** One rule of a port. `run` rejects when the backend breaks it. */
export interface StorageCase<Handle> {
  /** Stable, for example `AD-07`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Needs a fresh harness on empty data. */
  run(harness: StorageHarness<Handle>): Promise<void>
}

/** Creates a case with two handles on the same data. Both are closed afterwards, also after a failure. */
export function storageCase<Handle>(
  id: string,
  name: string,
  run: (one: Handle, use: { readonly other: Handle; advance(ms: number): Promise<void> }) => Promise<void>,
): StorageCase<Handle> {
  return {
    id,
    name,
    async run(harness) {
      const [one, other] = [await harness.open(), await harness.open()]
      try {
        await run(one, { other, advance: (ms) => harness.advance(ms) })
      } finally {
        await one.close()
        await other.close()
      }
    },
  }
}

/** Creates a case that writes with one handle, closes it, and reads with a later one. */
export function reopenCase<Handle>(
  id: string,
  name: string,
  write: (before: Handle) => Promise<void>,
  read: (after: Handle) => Promise<void>,
): StorageCase<Handle> {
  return {
    id,
    name,
    async run(harness) {
      for (const step of [write, read]) {
        const handle = await harness.open()
        try {
          await step(handle)
        } finally {
          await handle.close()
        }
      }
    },
  }
}

/** Number of racing callers. */
const racers = 50

/** Runs `call` from 50 callers at once, on two handles in turn. */
export function race<Handle, T>(one: Handle, other: Handle, call: (handle: Handle, racer: number) => Promise<T>) {
  return Promise.all(Array.from({ length: racers }, (_, racer) => call(racer % 2 === 0 ? one : other, racer)))
}

/** Returns the visible content of an error: texts, properties and causes. */
function everythingIn(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  return Reflect.ownKeys(error)
    .map((key) => `${String(key)}=${everythingIn(Reflect.get(error, key) as unknown)}`)
    .join('\n')
}

/** Expects an error with a stable code (`code`, if given) that holds none of the `hidden` values. */
export async function refused(
  promise: Promise<unknown>,
  { code, hidden = [] }: { readonly code?: string; readonly hidden?: readonly string[] } = {},
): Promise<void> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  ok(error instanceof Error && 'code' in error && typeof error.code === 'string', 'an error with a code is expected')
  if (code !== undefined) equal(error.code, code)
  for (const value of hidden) ok(!everythingIn(error).includes(value), 'the error shows a stored value')
}
