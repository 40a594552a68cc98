import { equal, ok } from 'node:assert/strict'

/** What a backend gives the cases of one port. Every case gets a harness of its own on empty data. */
export interface StorageHarness<Handle> {
  /**
   * A handle on the harness's data: the port, and the stores that fill what it reads. A second call gives another handle
   * on the same data, as another process would have it; a call after every handle was closed finds what was written.
   */
  open(): Promise<Handle & { close(): Promise<void> }>
  /**
   * Moves the stores' clock forward by `ms` milliseconds, for every handle. Nothing else moves it. It starts at
   * 2026-01-02T03:04:05.678Z.
   */
  advance(ms: number): Promise<void>
}

/** One MUST of a port. `run` rejects when the backend breaks it. */
export interface StorageCase<Handle> {
  /** Stable, for example `AD-07`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Wants a fresh harness on empty data. */
  run(harness: StorageHarness<Handle>): Promise<void>
}

/** A case with two handles on the same data, which are closed however it ends. */
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

/** A case that writes with one handle, closes it, and reads with a later one. */
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

/** So many callers race where exactly one may win. */
const racers = 50

/** Runs `call` from 50 callers at once, on two handles in turn. */
export function race<Handle, T>(one: Handle, other: Handle, call: (handle: Handle, racer: number) => Promise<T>) {
  return Promise.all(Array.from({ length: racers }, (_, racer) => call(racer % 2 === 0 ? one : other, racer)))
}

/** Everything an error shows: its texts, its properties and its causes. */
function everythingIn(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  return Reflect.ownKeys(error)
    .map((key) => `${String(key)}=${everythingIn(Reflect.get(error, key) as unknown)}`)
    .join('\n')
}

/** Expects an error with a stable code, this one if it is given, that shows none of the `hidden` values. */
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
