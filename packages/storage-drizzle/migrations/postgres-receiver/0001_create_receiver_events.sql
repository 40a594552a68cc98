-- at: when the lease ends, or when the event was given free or completed.
CREATE TABLE kyc_relay_receiver_events (
  event_id text COLLATE "C" NOT NULL PRIMARY KEY,
  fence integer NOT NULL CHECK (fence >= 1),
  state text COLLATE "C" NOT NULL CHECK (state IN ('CLAIMED', 'RELEASED', 'COMPLETED')),
  at timestamptz(3) NOT NULL
);

CREATE INDEX kyc_relay_receiver_events_by_age ON kyc_relay_receiver_events (at);
