import type { sqliteHeldParts } from '@kyc-relay/storage-drizzle/sqlite'
import { StartError } from './start-error.js'

type HeldParts = Awaited<ReturnType<typeof sqliteHeldParts>>

/**
 * Finds a vault that is given as the business database, and the reverse: `DATABASES_SWAPPED`. One database may hold both.
 * It may hold one part after a first start that was interrupted.
 */
export function findSwap(given: { readonly business: HeldParts; readonly vault: HeldParts }): StartError | null {
  const { business, vault } = given
  const isVault = business.vault && !business.stores && (!vault.vault || business.vaultIsUsed)
  const isBusiness = vault.stores && !vault.vault && !business.stores
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
