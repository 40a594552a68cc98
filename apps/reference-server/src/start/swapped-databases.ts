import type { DatabaseInspection } from '@kyc-relay/storage-drizzle/sqlite'
import { StartError } from './start-error.js'

/**
 * Finds a vault that is given as the business database, and the reverse: `DATABASES_SWAPPED`. One database may hold both.
 * It may hold one part after a first start that was interrupted.
 */
export function findSwap(given: {
  readonly business: DatabaseInspection
  readonly vault: DatabaseInspection
}): StartError | null {
  const { business, vault } = given
  const isVault = business.hasVault && !business.hasStores && (!vault.hasVault || business.vaultIsUsed)
  const isBusiness = vault.hasStores && !vault.hasVault && !business.hasStores
  if (!isVault && !isBusiness) return null
  const what = isVault
    ? 'DATABASE_URL (default: kyc.db in DATA_DIR) names a vault'
    : 'VAULT_DATABASE_URL (default: vault.db in DATA_DIR, or DATABASE_URL with PostgreSQL) names a business database'
  const other = isVault ? 'VAULT_DATABASE_URL' : 'DATABASE_URL'
  return new StartError(
    'DATABASES_SWAPPED',
    `${what}. Is its value that of ${other}? Correct both settings. Nothing was changed, and no keys were created.`,
  )
}
