CREATE TABLE kyc_relay_receiver_events (
  event_id TEXT NOT NULL PRIMARY KEY,
  fence INTEGER NOT NULL CHECK (fence >= 1),
  state TEXT NOT NULL CHECK (state IN ('CLAIMED', 'RELEASED', 'COMPLETED')),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kyc_relay_receiver_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE INDEX kyc_relay_receiver_events_by_age ON kyc_relay_receiver_events (at);
