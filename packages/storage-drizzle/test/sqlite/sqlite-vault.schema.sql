CREATE TABLE kyc_relay_vault_audit (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  purpose TEXT NOT NULL,
  token TEXT,
  record_id TEXT,
  part TEXT,
  CHECK ((token IS NULL) = (record_id IS NOT NULL)),
  CHECK ((record_id IS NULL) = (part IS NULL))
) STRICT;

CREATE TABLE kyc_relay_vault_audit_entries (
  sequence INTEGER NOT NULL PRIMARY KEY CHECK (sequence >= 1),
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  app_id TEXT,
  user_id TEXT,
  subject TEXT NOT NULL,
  content_digest BLOB NOT NULL,
  key_id TEXT NOT NULL,
  previous_mac BLOB NOT NULL,
  mac BLOB NOT NULL
) STRICT;

CREATE TABLE kyc_relay_vault_data_keys (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  wrapped BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (app_id, user_id)
) STRICT;

CREATE TABLE kyc_relay_vault_key_checks (
  key_id TEXT NOT NULL PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('seal', 'fingerprint', 'audit')),
  check_value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_vault_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE kyc_relay_vault_readiness (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE kyc_relay_vault_tokens (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  token TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  field TEXT NOT NULL CHECK (field IN ('ssn', 'document_number')),
  fingerprint BLOB NOT NULL,
  sealed BLOB,
  created_at INTEGER NOT NULL, data_key INTEGER, quarantined_at INTEGER,
  CHECK ((field = 'ssn') = (sealed IS NOT NULL))
) STRICT;

CREATE INDEX kyc_relay_vault_audit_entries_of_erased ON kyc_relay_vault_audit_entries (app_id, user_id)
  WHERE kind = 'OWNER_ERASED';

CREATE UNIQUE INDEX kyc_relay_vault_audit_entries_of_row ON kyc_relay_vault_audit_entries (subject) WHERE kind = 'VALUE_REVEALED';

CREATE INDEX kyc_relay_vault_audit_of_owner ON kyc_relay_vault_audit (app_id, user_id, position);

CREATE INDEX kyc_relay_vault_data_keys_by_key ON kyc_relay_vault_data_keys (key_id, position);

CREATE INDEX kyc_relay_vault_tokens_by_age ON kyc_relay_vault_tokens (created_at, position);

CREATE INDEX kyc_relay_vault_tokens_in_quarantine ON kyc_relay_vault_tokens (quarantined_at, position)
  WHERE quarantined_at IS NOT NULL;

CREATE INDEX kyc_relay_vault_tokens_of_data_key ON kyc_relay_vault_tokens (data_key) WHERE data_key IS NOT NULL;

CREATE INDEX kyc_relay_vault_tokens_of_owner_alone ON kyc_relay_vault_tokens (app_id, user_id) WHERE data_key IS NULL;
