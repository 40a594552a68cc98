import { KycError, type KycErrorCode } from '../kyc-error.js'

/** One rule of a port. Any test runner can run it. */
export interface ConformanceCase<Harness> {
  /** Stable, for example `VS-07`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the backend breaks the rule. Needs a fresh harness on empty data. */
  run(harness: Harness): Promise<void>
}

/** Throws an error with the sentence when the condition is false. */
export function assertThat(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(`The backend breaks a rule of its port: ${sentence}`)
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Describes the first difference between two byte arrays; null when they are equal. */
function differenceOfBytes(actual: Uint8Array, expected: Uint8Array): string | null {
  if (actual.length !== expected.length) return `expected ${expected.length} bytes, got ${actual.length}`
  for (let index = 0; index < expected.length; index++)
    if (actual[index] !== expected[index]) return `byte ${index} differs`
  return null
}

function comparable(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return { bytes: [...bytesOf(value)] }
  if (value instanceof Date) return { at: value.toISOString() }
  if (value instanceof Set) return { set: [...value].map(comparable).sort() }
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, comparable(item)]),
  )
}

/** Throws when two values differ. Bytes, dates and sets compare by content. */
export function assertEqual(actual: unknown, expected: unknown, sentence: string): void {
  // Photos have megabytes, so bytes are not compared as text.
  if (ArrayBuffer.isView(actual) && ArrayBuffer.isView(expected)) {
    const difference = differenceOfBytes(bytesOf(actual), bytesOf(expected))
    return assertThat(difference === null, `${sentence} (${difference})`)
  }
  const [a, b] = [JSON.stringify(comparable(actual)), JSON.stringify(comparable(expected))]
  assertThat(a === b, `${sentence} (expected ${b}, got ${a})`)
}

/** Rejects unless the promise rejects with a {@link KycError} of this code. Resolves with that error. */
export async function assertRejects(
  promise: Promise<unknown>,
  code: KycErrorCode,
  sentence: string,
): Promise<KycError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  assertThat(error instanceof KycError && error.code === code, `${sentence} (expected ${code}, got ${textOf(error)})`)
  return error
}

function textOf(error: unknown): string {
  if (error instanceof KycError) return error.code
  return error instanceof Error ? error.name : String(error)
}

/** Returns the visible content of an error: texts, properties and causes. */
export function everythingIn(error: unknown): string {
  if (typeof error !== 'object' || error === null) return JSON.stringify(error) ?? ''
  return Reflect.ownKeys(error)
    .map((key) => `${String(key)}=${everythingIn(Reflect.get(error, key) as unknown)}`)
    .join('\n')
}
