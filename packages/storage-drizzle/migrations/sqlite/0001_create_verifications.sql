CREATE TABLE kyc_relay_kyc_statuses (
  user_id TEXT NOT NULL PRIMARY KEY,
  status TEXT NOT NULL CHECK (status IN ('PASS', 'PASS_INTERNATIONAL')),
  since INTEGER NOT NULL
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

CREATE INDEX kyc_relay_verifications_of_user ON kyc_relay_verifications (app_id, user_id, position);
CREATE INDEX kyc_relay_verifications_by_ssn_token ON kyc_relay_verifications (ssn_token) WHERE ssn_token IS NOT NULL;
CREATE INDEX kyc_relay_verifications_by_document_number_token ON kyc_relay_verifications (document_number_token)
  WHERE document_number_token IS NOT NULL;

CREATE TABLE kyc_relay_verification_sections (
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  ordinal INTEGER NOT NULL,
  section TEXT NOT NULL CHECK (section IN ('document', 'ssn', 'database')),
  provider_verification_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('PASSED', 'FAILED')),
  PRIMARY KEY (verification, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_verification_checks (
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  ordinal INTEGER NOT NULL,
  section TEXT NOT NULL CHECK (section IN ('document', 'ssn', 'database')),
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('PASSED', 'FAILED', 'NOT_APPLICABLE')),
  PRIMARY KEY (verification, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_decline_codes (
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  ordinal INTEGER NOT NULL,
  code TEXT NOT NULL,
  PRIMARY KEY (verification, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_kyc_status_log (
  verification INTEGER NOT NULL PRIMARY KEY REFERENCES kyc_relay_verifications (position),
  user_id TEXT NOT NULL,
  previous TEXT NOT NULL CHECK (previous IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
  next TEXT NOT NULL CHECK (next IN ('UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL')),
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE kyc_relay_photo_jobs (
  photo_job_id TEXT NOT NULL PRIMARY KEY,
  verification INTEGER NOT NULL REFERENCES kyc_relay_verifications (position),
  side TEXT NOT NULL CHECK (side IN ('front', 'back', 'selfie')),
  sealed_url BLOB,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'STORED', 'UNAVAILABLE', 'ERASED')),
  attempts_made INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  lease_token TEXT,
  lease_until INTEGER,
  ended_at INTEGER,
  CHECK ((state = 'PENDING') = (due_at IS NOT NULL OR lease_token IS NOT NULL)),
  CHECK ((lease_token IS NULL) = (lease_until IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX kyc_relay_photo_jobs_of_verification ON kyc_relay_photo_jobs (verification);
CREATE INDEX kyc_relay_photo_jobs_due ON kyc_relay_photo_jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX kyc_relay_photo_jobs_leased ON kyc_relay_photo_jobs (lease_until) WHERE lease_until IS NOT NULL;
