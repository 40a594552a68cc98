-- A user's id falls anywhere in an index, the position of a new data key at its end: a token refers to the data key of
-- its owner. Rows from before stay as they are, null, and only they stand in the index by owner.
ALTER TABLE kyc_relay_vault_tokens ADD COLUMN data_key INTEGER;

CREATE INDEX kyc_relay_vault_tokens_of_data_key ON kyc_relay_vault_tokens (data_key) WHERE data_key IS NOT NULL;
CREATE INDEX kyc_relay_vault_tokens_of_owner_alone ON kyc_relay_vault_tokens (app_id, user_id) WHERE data_key IS NULL;
DROP INDEX kyc_relay_vault_tokens_of_owner;

-- Equal fingerprints are looked for in the whole table, and by no request.
DROP INDEX kyc_relay_vault_tokens_by_fingerprint;
