import { KycError } from './kyc-error.js'

/** @throws KycError `ARGUMENT_INVALID` unless it is right. Else a mistake is found at the first use, or never. */
export function checkArgument(isRight: boolean): void {
  if (!isRight) throw new KycError('ARGUMENT_INVALID')
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Whether a value has these methods. */
export function hasMethods(port: unknown, ...methods: readonly string[]): boolean {
  return methods.every(
    (name) => typeof (port as Readonly<Record<string, unknown>> | null | undefined)?.[name] === 'function',
  )
}

/** Whether a value is a Date with a time. */
export function isTime(value: unknown): boolean {
  return Number.isFinite((value as Partial<Date> | null | undefined)?.getTime?.())
}
