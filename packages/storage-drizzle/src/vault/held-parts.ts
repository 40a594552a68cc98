/** Parts whose tables a database holds. */
export interface HeldParts {
  readonly stores: boolean
  readonly vault: boolean
  /** True once a server has recorded its keys in the vault. */
  readonly vaultIsUsed: boolean
}

/** Returns the parts. The two functions say whether a table exists, and whether it has a row. */
export async function heldPartsOf(
  hasTable: (table: string) => Promise<boolean>,
  hasRow: (table: string) => Promise<boolean>,
): Promise<HeldParts> {
  const vault = await hasTable('kyc_relay_vault_tokens')
  return {
    stores: await hasTable('kyc_relay_verifications'),
    vault,
    vaultIsUsed: vault && (await hasRow('kyc_relay_vault_key_checks')),
  }
}
