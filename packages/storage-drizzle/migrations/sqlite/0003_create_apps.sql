CREATE TABLE kyc_relay_apps (
  app_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_api_keys (
  app_id TEXT NOT NULL REFERENCES kyc_relay_apps (app_id),
  version INTEGER NOT NULL CHECK (version >= 1),
  hash BLOB NOT NULL UNIQUE,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  signs_from INTEGER NOT NULL,
  retired_at INTEGER,
  PRIMARY KEY (app_id, version)
) STRICT;

CREATE TABLE kyc_relay_grants (
  app_id TEXT NOT NULL REFERENCES kyc_relay_apps (app_id),
  user_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  external_reference_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  PRIMARY KEY (app_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX kyc_relay_grants_of_user ON kyc_relay_grants (user_id);

CREATE TABLE kyc_relay_access_tokens (
  hash BLOB NOT NULL PRIMARY KEY,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (app_id, user_id) REFERENCES kyc_relay_grants (app_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX kyc_relay_access_tokens_of_grant ON kyc_relay_access_tokens (app_id, user_id);
CREATE INDEX kyc_relay_access_tokens_by_expiry ON kyc_relay_access_tokens (expires_at);
