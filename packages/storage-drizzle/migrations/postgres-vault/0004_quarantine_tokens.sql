-- When a token that no verification refers to was put into quarantine; null for all others.
ALTER TABLE kyc_relay_vault_tokens ADD COLUMN quarantined_at timestamptz(3);
CREATE INDEX kyc_relay_vault_tokens_in_quarantine ON kyc_relay_vault_tokens (quarantined_at, position)
  WHERE quarantined_at IS NOT NULL;

-- What each key of the key file makes of a fixed text: a key that was replaced makes something else of it.
CREATE TABLE kyc_relay_vault_key_checks (
  key_id text COLLATE "C" NOT NULL PRIMARY KEY,
  purpose text COLLATE "C" NOT NULL CHECK (purpose IN ('seal', 'fingerprint', 'audit')),
  check_value text COLLATE "C" NOT NULL
);

-- Whether an owner was erased: the verifications of one refer to tokens that are gone for a reason.
CREATE INDEX kyc_relay_vault_audit_entries_of_erased ON kyc_relay_vault_audit_entries (app_id, user_id)
  WHERE kind = 'OWNER_ERASED';
