-- at: when the lease ends, or when the event was given free or completed.
CREATE TABLE kyc_relay_receiver_events (
  event_id TEXT NOT NULL PRIMARY KEY,
  fence INTEGER NOT NULL CHECK (fence >= 1),
  state TEXT NOT NULL CHECK (state IN ('CLAIMED', 'RELEASED', 'COMPLETED')),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX kyc_relay_receiver_events_by_age ON kyc_relay_receiver_events (at);
