-- A photo that was refused differs from one that could not be had, and each says why. Earlier ends stay as they were told.
-- SQLite cannot change a CHECK: the rows move into a table with the new one.
ALTER TABLE kyc_relay_photo_jobs RENAME TO kyc_relay_photo_jobs_before;

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

INSERT INTO kyc_relay_photo_jobs
SELECT photo_job_id, verification, side, sealed_url, state, attempts_made, created_at, due_at, lease_token, lease_until,
  ended_at, NULL
FROM kyc_relay_photo_jobs_before;

DROP TABLE kyc_relay_photo_jobs_before;

CREATE INDEX kyc_relay_photo_jobs_of_verification ON kyc_relay_photo_jobs (verification);
CREATE INDEX kyc_relay_photo_jobs_due ON kyc_relay_photo_jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX kyc_relay_photo_jobs_leased ON kyc_relay_photo_jobs (lease_until) WHERE lease_until IS NOT NULL;
