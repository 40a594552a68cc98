-- fields: the last payload, which an update builds on; null once final or erased.
CREATE TABLE kyc_relay_transactions (
  transaction_id TEXT NOT NULL PRIMARY KEY,
  app_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'SETTLED', 'DECLINED')),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  fields TEXT,
  moved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX kyc_relay_transactions_of_user ON kyc_relay_transactions (user_id, app_id);

-- What each event moved: tells a replay from another fact under the same source_event_id.
CREATE TABLE kyc_relay_transaction_moves (
  event INTEGER NOT NULL PRIMARY KEY REFERENCES kyc_relay_events (position),
  transaction_id TEXT NOT NULL REFERENCES kyc_relay_transactions (transaction_id),
  revision INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'SETTLED', 'DECLINED')),
  UNIQUE (transaction_id, revision)
) STRICT;

-- The user first: the same searches by app and user, and those of an erasure by user alone.
DROP INDEX kyc_relay_verifications_of_user;
CREATE INDEX kyc_relay_verifications_of_user ON kyc_relay_verifications (user_id, app_id, position);
DROP INDEX kyc_relay_events_of_user;
CREATE INDEX kyc_relay_events_of_user ON kyc_relay_events (user_id, app_id, position);
