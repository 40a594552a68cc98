import type { PiiCipher } from '@kyc-relay/kyc-core'
import { StorageError } from './storage-error.js'

/** The type of each option. A host may give the same options to both engines. */
const types = {
  audit: 'object',
  checkUpToBytes: 'number',
  cipher: 'object',
  clock: 'function',
  distributed: 'boolean',
  kycStatusEvents: 'boolean',
  migrations: 'string',
  newToken: 'function',
  notify: 'boolean',
  onFailure: 'function',
  onMigration: 'function',
  onMigrationWaiting: 'function',
  onUnknownIndex: 'function',
  ownTables: 'object',
  randomBytes: 'function',
} as const

type OptionName = keyof typeof types

const cipherMethods = [
  'currentKeyId',
  'createDataKey',
  'seal',
  'open',
  'fingerprint',
  'rewrapDataKey',
  'evictDataKey',
] as const satisfies readonly (keyof PiiCipher)[]

/**
 * Checks the options of a storage or a vault: a misspelt one would have no effect.
 *
 * @throws StorageError `ARGUMENT_INVALID` for an unknown name, a value of another type, `migrations` that is neither
 *   `apply` nor `require`, a cipher that lacks a method, or a missing required option
 */
export function checkOptions(
  options: Readonly<Partial<Record<OptionName, unknown>>>,
  required: readonly OptionName[] = [],
): void {
  if (typeof options !== 'object' || (options as object | null) === null) throw new StorageError('ARGUMENT_INVALID')
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const isKnown = given.every(
    ([name, value]) => Object.hasOwn(types, name) && value !== null && typeof value === types[name as OptionName],
  )
  const isComplete = required.every((name) => options[name] !== undefined)
  const { migrations = 'apply' } = options
  const isMode = migrations === 'apply' || migrations === 'require'
  const { cipher } = options as { readonly cipher?: Partial<PiiCipher> }
  const isCipher = cipher === undefined || cipherMethods.every((method) => typeof cipher?.[method] === 'function')
  if (!isKnown || !isComplete || !isMode || !isCipher) throw new StorageError('ARGUMENT_INVALID')
}
