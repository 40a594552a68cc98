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

/**
 * Checks the options of a storage or a vault: a misspelt one would have no effect.
 *
 * @throws StorageError `ARGUMENT_INVALID` for an unknown name, a value of another type, `migrations` that is neither
 *   `apply` nor `require`, or a missing required option
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
  if (!isKnown || !isComplete || !isMode) throw new StorageError('ARGUMENT_INVALID')
}
