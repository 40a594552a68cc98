import { KycError } from '@kyc-relay/kyc-core'
import { StorageError } from '../storage-error.js'

/**
 * The vault speaks the error codes of its ports. Whatever else a database or a remote cipher throws means that the
 * vault cannot work now; its text could hold a value and is dropped.
 */
export function vaultErrorOf(error: unknown): KycError {
  if (error instanceof KycError) return error
  if (error instanceof StorageError && error.code === 'ARGUMENT_INVALID') return new KycError('ARGUMENT_INVALID')
  return new KycError('VAULT_UNAVAILABLE', error instanceof StorageError ? { cause: error } : undefined)
}
