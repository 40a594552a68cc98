/** What a database holds. */
export interface DatabaseInspection {
  /** True if it has the tables of the stores. */
  readonly hasStores: boolean
  /** True if it has the tables of a vault. */
  readonly hasVault: boolean
  /** True once a server has recorded its keys in the vault. */
  readonly vaultIsUsed: boolean
  /** True if only an existing key file opens its values: it has API keys, or a vault with keys. */
  readonly needsKeys: boolean
}

export const emptyDatabase: DatabaseInspection = {
  hasStores: false,
  hasVault: false,
  vaultIsUsed: false,
  needsKeys: false,
}

/** Reads what a database holds. The two functions say whether a table exists, and whether it has a row. */
export async function inspectTables(
  hasTable: (table: string) => Promise<boolean>,
  hasRow: (table: string) => Promise<boolean>,
): Promise<DatabaseInspection> {
  const isUsed = async (table: string) => (await hasTable(table)) && (await hasRow(table))
  const vaultIsUsed = await isUsed('kyc_relay_vault_key_checks')
  return {
    hasStores: await hasTable('kyc_relay_verifications'),
    hasVault: await hasTable('kyc_relay_vault_tokens'),
    vaultIsUsed,
    needsKeys: vaultIsUsed || (await isUsed('kyc_relay_api_keys')) || (await isUsed('kyc_relay_vault_data_keys')),
  }
}
