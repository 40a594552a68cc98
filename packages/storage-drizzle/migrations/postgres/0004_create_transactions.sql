-- fields: the last payload, which an update builds on; null once final or erased.
CREATE TABLE kyc_relay_transactions (
  transaction_id text COLLATE "C" NOT NULL PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('PENDING', 'SETTLED', 'DECLINED')),
  revision integer NOT NULL CHECK (revision >= 1),
  fields text COLLATE "C",
  moved_at timestamptz(3) NOT NULL
);

CREATE INDEX kyc_relay_transactions_of_user ON kyc_relay_transactions (user_id, app_id);

-- What each event moved: tells a replay from another fact under the same source_event_id.
CREATE TABLE kyc_relay_transaction_moves (
  event_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES kyc_relay_events (event_id),
  transaction_id text COLLATE "C" NOT NULL REFERENCES kyc_relay_transactions (transaction_id),
  revision integer NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('PENDING', 'SETTLED', 'DECLINED')),
  UNIQUE (transaction_id, revision)
);
