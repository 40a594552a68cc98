import { WebhookError, type PreparationViolation } from './webhook-error.js'

/** Collects what is wrong with the options of a call, so that all of it is reported at once. */
export interface OptionCheck {
  /** Requires an object with these methods. */
  port(name: string, value: unknown, methods: readonly string[]): void
  /** Requires a function. */
  callback(name: string, value: unknown): void
  /** Requires a function that returns a valid Date. */
  clock(name: string, value: unknown): void
  /** Requires a number from `least` to `most`, if given. */
  range(name: string, value: unknown, least: number, most?: number): void
  /** Requires a whole number of at least `least`, if given. */
  count(name: string, value: unknown, least: number): void
  /** Requires milliseconds from `least` to 2³¹ - 1, if given: a timer of a longer time ends at once. */
  timer(name: string, value: unknown, least: number): void
  /**
   * Requires that an object has no other members: a misspelt setting would have no effect.
   *
   * @param name Null for the options themselves
   */
  only(name: string | null, value: object, known: readonly string[]): void
  /** Requires an object of settings with no other members, if given. Returns it; an empty one if it is none. */
  settings<Settings extends object>(
    name: string,
    value: Settings | undefined,
    known: readonly string[],
  ): Partial<Settings>
  /** Adds a violation unless `holds`. */
  rule(name: string, holds: boolean): void
  /** @throws WebhookError `OPTIONS_INVALID` with the violations, if there are any */
  end(): void
}

/** Longest time of `setTimeout`, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1

const isValidDate = (value: unknown) => Number.isFinite((value as Partial<Date> | null | undefined)?.getTime?.())

const pointerTo = (name: string) => `/${name.replaceAll('.', '/')}`

export function checkOptions(): OptionCheck {
  const violations: PreparationViolation[] = []

  function add(name: string, value: unknown): void {
    const isMissing = value === undefined || value === null
    const message = isMissing ? 'This option is required.' : 'This option has a wrong value.'
    violations.push({ pointer: pointerTo(name), code: isMissing ? 'REQUIRED' : 'TYPE', message })
  }

  function range(name: string, value: unknown, least: number, most = Number.MAX_VALUE): void {
    if (value === undefined) return
    if (typeof value !== 'number' || !(value >= least && value <= most)) add(name, value ?? 'null')
  }

  function only(name: string | null, value: object, known: readonly string[]): void {
    const parent = name === null ? '' : `${name}.`
    for (const key of Object.keys(value).filter((one) => !known.includes(one)))
      violations.push({
        pointer: pointerTo(`${parent}${key}`),
        code: 'UNKNOWN_FIELD',
        message: 'This option does not exist.',
      })
  }

  return {
    port(name, value, methods) {
      const has = (method: string) => typeof (value as Record<string, unknown>)[method] === 'function'
      if (typeof value !== 'object' || value === null || !methods.every(has)) add(name, value)
    },
    callback(name, value) {
      if (typeof value !== 'function') add(name, value)
    },
    clock(name, value) {
      const isClock = typeof value === 'function' && isValidDate((value as () => unknown)())
      if (!isClock) add(name, value)
    },
    range,
    count(name, value, least) {
      if (value === undefined) return
      if (!Number.isSafeInteger(value) || !((value as number) >= least)) add(name, value ?? 'null')
    },
    timer: (name, value, least) => range(name, value, least, longestTimerMs),
    only,
    settings(name, value, known) {
      const isObject = typeof value === 'object' && (value as object | null) !== null && !Array.isArray(value)
      if (isObject) only(name, value, known)
      else if (value !== undefined) add(name, 'wrong')
      return isObject ? value : {}
    },
    rule(name, holds) {
      if (!holds) add(name, 'wrong')
    },
    end() {
      if (violations.length === 0) return
      // Names of options are our own, and nobody reads the violations of an error that ends a start.
      const names = violations.map(({ pointer }) => pointer.slice(1).replaceAll('/', '.'))
      throw new WebhookError('OPTIONS_INVALID', violations, `${names.join(', ')}.`)
    },
  }
}
