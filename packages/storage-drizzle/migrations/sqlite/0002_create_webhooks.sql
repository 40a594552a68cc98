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

CREATE INDEX kyc_relay_endpoints_of_app ON kyc_relay_endpoints (app_id, created_at, position) WHERE removed_at IS NULL;

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
) STRICT;

CREATE UNIQUE INDEX kyc_relay_events_by_source ON kyc_relay_events (app_id, source_event_id)
  WHERE source_event_id IS NOT NULL;
CREATE INDEX kyc_relay_events_of_user ON kyc_relay_events (app_id, user_id, position);

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

CREATE INDEX kyc_relay_deliveries_of_event ON kyc_relay_deliveries (event);
CREATE INDEX kyc_relay_deliveries_of_app ON kyc_relay_deliveries (app_id, position);
-- Almost all are delivered, and found as quickly among all.
CREATE INDEX kyc_relay_deliveries_of_app_by_state ON kyc_relay_deliveries (app_id, state, position)
  WHERE state <> 'DELIVERED';
CREATE INDEX kyc_relay_deliveries_of_endpoint ON kyc_relay_deliveries (endpoint, position);
CREATE INDEX kyc_relay_deliveries_waiting ON kyc_relay_deliveries (endpoint, due_at, position) WHERE due_at IS NOT NULL;
CREATE INDEX kyc_relay_deliveries_leased ON kyc_relay_deliveries (lease_until, position) WHERE lease_until IS NOT NULL;

-- A number that was given back appears once: as the attempt that uses it.
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

-- One row per endpoint that ever had a delivery: what the claim reads instead of the backlog.
-- next_due_at: the earliest waiting delivery. turn_at: since when the endpoint waits for its present turn.
CREATE TABLE kyc_relay_endpoint_turns (
  endpoint INTEGER NOT NULL PRIMARY KEY REFERENCES kyc_relay_endpoints (position),
  in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  failing INTEGER NOT NULL DEFAULT 0 CHECK (failing IN (0, 1)),
  last_claimed_at INTEGER NOT NULL DEFAULT 0,
  next_due_at INTEGER,
  turn_at INTEGER GENERATED ALWAYS AS (max(next_due_at, last_claimed_at)) VIRTUAL
) STRICT;

CREATE INDEX kyc_relay_endpoint_turns_in_order
  ON kyc_relay_endpoint_turns (failing, turn_at, next_due_at, endpoint, in_flight) WHERE next_due_at IS NOT NULL;
CREATE INDEX kyc_relay_endpoint_turns_by_due ON kyc_relay_endpoint_turns (next_due_at) WHERE next_due_at IS NOT NULL;
