/** Tables with values that only the key file opens or recognises. */
export const tablesOfKeyUse = ['kyc_relay_api_keys', 'kyc_relay_vault_key_checks', 'kyc_relay_vault_data_keys'] as const
