import { KycError } from '@kyc-relay/kyc-core'
import { StorageError } from '../storage-error.js'

/**
 * Converts errors to the codes of the vault's ports. Any other error of a database or a remote cipher becomes
 * `VAULT_UNAVAILABLE`. Its text could hold a value and is dropped.
 */
export function vaultErrorOf(error: unknown): KycError {
  if (error instanceof KycError) return error
  if (error instanceof StorageError && error.code === 'ARGUMENT_INVALID') return new KycError('ARGUMENT_INVALID')
  return new KycError('VAULT_UNAVAILABLE', error instanceof StorageError ? { cause: error } : undefined)
}
