CREATE TABLE kyc_relay_access_tokens (
  hash BLOB NOT NULL PRIMARY KEY,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (app_id, user_id) REFERENCES kyc_relay_grants (app_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_api_keys (
  app_id TEXT NOT NULL REFERENCES kyc_relay_apps (app_id),
  version INTEGER NOT NULL CHECK (version >= 1),
  hash BLOB NOT NULL UNIQUE,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  signs_from INTEGER NOT NULL,
  retired_at INTEGER, issued_reason TEXT, revoked_reason TEXT,
  PRIMARY KEY (app_id, version)
) STRICT;

CREATE TABLE kyc_relay_apps (
  app_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_attempts (
  delivery INTEGER NOT NULL REFERENCES kyc_relay_deliveries (position),
  number INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('STARTED', 'SUCCEEDED', 'FAILED', 'INTERRUPTED', 'UNSENT')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  report TEXT,
  response_body BLOB,
  CHECK ((state = 'STARTED') = (ended_at IS NULL)),
  PRIMARY KEY (delivery, number)
) STRICT;

CREATE TABLE kyc_relay_audit_entries (
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

CREATE TABLE kyc_relay_decline_codes (
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  ordinal INTEGER NOT NULL,
  code TEXT NOT NULL,
  PRIMARY KEY (verification, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_deliveries (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  delivery_id TEXT NOT NULL UNIQUE,
  event INTEGER NOT NULL REFERENCES kyc_relay_events (position),
  endpoint INTEGER NOT NULL REFERENCES kyc_relay_endpoints (position),
  x_event_id TEXT NOT NULL,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
  attempts_made INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  lease_token TEXT,
  lease_until INTEGER,
  unsent_since INTEGER,
  ended_at INTEGER,
  cancel_reason TEXT,
  cancel_requested TEXT,
  resend_of TEXT,
  CHECK ((lease_token IS NULL) = (lease_until IS NULL)),
  CHECK ((state = 'PENDING') = ((due_at IS NULL) <> (lease_token IS NULL))),
  CHECK ((state = 'PENDING') = (ended_at IS NULL)),
  CHECK ((state = 'CANCELLED') = (cancel_reason IS NOT NULL))
) STRICT;

CREATE TABLE kyc_relay_endpoint_turns (
  endpoint INTEGER NOT NULL PRIMARY KEY REFERENCES kyc_relay_endpoints (position),
  in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  failing INTEGER NOT NULL DEFAULT 0 CHECK (failing IN (0, 1)),
  last_claimed_at INTEGER NOT NULL DEFAULT 0,
  next_due_at INTEGER,
  turn_at INTEGER GENERATED ALWAYS AS (max(next_due_at, last_claimed_at)) VIRTUAL
) STRICT;

CREATE TABLE kyc_relay_endpoints (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  endpoint_id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  url TEXT NOT NULL,
  event_types TEXT,
  standard_webhooks INTEGER NOT NULL CHECK (standard_webhooks IN (0, 1)),
  created_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;

CREATE TABLE kyc_relay_events (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  type TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  body BLOB,
  test INTEGER NOT NULL CHECK (test IN (0, 1)),
  source_event_id TEXT,
  withheld TEXT CHECK (withheld IN ('SCOPE_NOT_GRANTED', 'NO_GRANT', 'NO_ENDPOINT')),
  created_at INTEGER NOT NULL
, trace_context TEXT) STRICT;

CREATE TABLE kyc_relay_grants (
  app_id TEXT NOT NULL REFERENCES kyc_relay_apps (app_id),
  user_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  external_reference_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  PRIMARY KEY (app_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_kyc_status_log (
  verification INTEGER NOT NULL PRIMARY KEY REFERENCES kyc_relay_verifications (position),
  user_id TEXT NOT NULL,
  previous TEXT NOT NULL CHECK (previous IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
  next TEXT NOT NULL CHECK (next IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE kyc_relay_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE kyc_relay_photo_jobs (
  photo_job_id TEXT NOT NULL PRIMARY KEY,
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  side TEXT NOT NULL CHECK (side IN ('front', 'back', 'selfie')),
  sealed_url BLOB,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'STORED', 'REFUSED', 'UNAVAILABLE', 'ERASED')),
  attempts_made INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  lease_token TEXT,
  lease_until INTEGER,
  ended_at INTEGER,
  last_failure TEXT,
  CHECK ((state = 'PENDING') = (due_at IS NOT NULL OR lease_token IS NOT NULL)),
  CHECK ((lease_token IS NULL) = (lease_until IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_portal_previews (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  session BLOB NOT NULL REFERENCES kyc_relay_portal_sessions (hash) ON DELETE CASCADE,
  preview_id TEXT NOT NULL,
  content BLOB NOT NULL,
  UNIQUE (session, preview_id)
) STRICT;

CREATE TABLE kyc_relay_portal_sessions (
  hash BLOB NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('app', 'operator')),
  app_id TEXT NOT NULL,
  app_name TEXT,
  key_version INTEGER,
  begun_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  latest_end_at INTEGER NOT NULL,
  notice TEXT,
  CHECK ((kind = 'app') = (app_name IS NOT NULL)),
  CHECK ((kind = 'app') = (key_version IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_readiness (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE kyc_relay_revoked_grants (
  app_id TEXT NOT NULL REFERENCES kyc_relay_apps (app_id),
  user_id TEXT NOT NULL,
  revoked_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_transaction_moves (
  event INTEGER NOT NULL PRIMARY KEY REFERENCES kyc_relay_events (position),
  transaction_id TEXT NOT NULL REFERENCES kyc_relay_transactions (transaction_id),
  revision INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'SETTLED', 'DECLINED')),
  UNIQUE (transaction_id, revision)
) STRICT;

CREATE TABLE kyc_relay_transactions (
  transaction_id TEXT NOT NULL PRIMARY KEY,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'SETTLED', 'DECLINED')),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  fields TEXT,
  moved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_verification_checks (
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  ordinal INTEGER NOT NULL,
  section TEXT NOT NULL CHECK (section IN ('document', 'ssn', 'database')),
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('PASSED', 'FAILED', 'NOT_APPLICABLE')),
  PRIMARY KEY (verification, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_verification_sections (
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  ordinal INTEGER NOT NULL,
  section TEXT NOT NULL CHECK (section IN ('document', 'ssn', 'database')),
  provider_verification_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('PASSED', 'FAILED')),
  PRIMARY KEY (verification, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_verifications (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  verification_id TEXT NOT NULL UNIQUE,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  external_verification_id TEXT NOT NULL,
  external_verification_provider TEXT NOT NULL,
  schema_version TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('PASSED', 'FAILED')),
  decisioned_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  country_code TEXT NOT NULL,
  result_status TEXT NOT NULL CHECK (result_status IN ('VERIFIED', 'ALREADY_VERIFIED', 'DECLINED')),
  result_message TEXT NOT NULL,
  payload_digest BLOB NOT NULL,
  ssn_token TEXT,
  ssn_standing TEXT CHECK (ssn_standing IN ('COLLECTED', 'VALIDATED')),
  document_number_token TEXT,
  sealed_details BLOB NOT NULL,
  CHECK ((ssn_token IS NULL) = (ssn_standing IS NULL)),
  UNIQUE (app_id, external_verification_id)
) STRICT;

CREATE INDEX kyc_relay_access_tokens_by_expiry ON kyc_relay_access_tokens (expires_at);

CREATE INDEX kyc_relay_access_tokens_of_grant ON kyc_relay_access_tokens (app_id, user_id);

CREATE INDEX kyc_relay_attempts_by_age ON kyc_relay_attempts (started_at);

CREATE UNIQUE INDEX kyc_relay_audit_entries_of_row ON kyc_relay_audit_entries (subject) WHERE kind = 'VERIFICATION_RECORDED';

CREATE INDEX kyc_relay_deliveries_leased ON kyc_relay_deliveries (lease_until, position) WHERE lease_until IS NOT NULL;

CREATE INDEX kyc_relay_deliveries_of_app ON kyc_relay_deliveries (app_id, position);

CREATE INDEX kyc_relay_deliveries_of_app_by_state ON kyc_relay_deliveries (app_id, state, position)
  WHERE state <> 'DELIVERED';

CREATE INDEX kyc_relay_deliveries_of_endpoint ON kyc_relay_deliveries (endpoint, position);

CREATE INDEX kyc_relay_deliveries_of_event ON kyc_relay_deliveries (event);

CREATE INDEX kyc_relay_deliveries_waiting ON kyc_relay_deliveries (endpoint, due_at, position) WHERE due_at IS NOT NULL;

CREATE INDEX kyc_relay_endpoint_turns_by_due ON kyc_relay_endpoint_turns (next_due_at) WHERE next_due_at IS NOT NULL;

CREATE INDEX kyc_relay_endpoint_turns_in_order
  ON kyc_relay_endpoint_turns (failing, turn_at, next_due_at, endpoint, in_flight) WHERE next_due_at IS NOT NULL;

CREATE INDEX kyc_relay_endpoints_of_app ON kyc_relay_endpoints (app_id, created_at, position) WHERE removed_at IS NULL;

CREATE INDEX kyc_relay_events_by_age ON kyc_relay_events (created_at) WHERE body IS NOT NULL;

CREATE UNIQUE INDEX kyc_relay_events_by_source ON kyc_relay_events (app_id, source_event_id)
  WHERE source_event_id IS NOT NULL;

CREATE INDEX kyc_relay_events_of_user ON kyc_relay_events (user_id, app_id, position);

CREATE INDEX kyc_relay_grants_of_user ON kyc_relay_grants (user_id);

CREATE INDEX kyc_relay_photo_jobs_due ON kyc_relay_photo_jobs (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX kyc_relay_photo_jobs_leased ON kyc_relay_photo_jobs (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX kyc_relay_photo_jobs_of_verification ON kyc_relay_photo_jobs (verification);

CREATE INDEX kyc_relay_portal_previews_of_session ON kyc_relay_portal_previews (session, position);

CREATE INDEX kyc_relay_portal_sessions_by_end ON kyc_relay_portal_sessions (ends_at);

CREATE INDEX kyc_relay_portal_sessions_of_holder ON kyc_relay_portal_sessions (kind, app_id, begun_at);

CREATE INDEX kyc_relay_transactions_of_user ON kyc_relay_transactions (user_id, app_id);

CREATE INDEX kyc_relay_verifications_by_document_number_token ON kyc_relay_verifications (document_number_token)
  WHERE document_number_token IS NOT NULL;

CREATE INDEX kyc_relay_verifications_by_ssn_token ON kyc_relay_verifications (ssn_token) WHERE ssn_token IS NOT NULL;

CREATE INDEX kyc_relay_verifications_of_user ON kyc_relay_verifications (user_id, app_id, position);
