-- What the operator gave as the reason. Null where the partner made or revoked the key.
ALTER TABLE kyc_relay_api_keys ADD COLUMN issued_reason TEXT;
ALTER TABLE kyc_relay_api_keys ADD COLUMN revoked_reason TEXT;
