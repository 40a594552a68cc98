-- What waits or is in flight has a row of its own, and goes with its end. The delivery is then written once and changed
-- once, in columns that no index holds, and an attempt is written when it has ended: its row here says that it began.
CREATE TABLE kyc_relay_delivery_queue (
  app_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  attempts_made integer NOT NULL DEFAULT 0,
  due_at timestamptz(3),
  lease_token text COLLATE "C",
  lease_until timestamptz(3),
  started_at timestamptz(3),
  unsent_since timestamptz(3),
  cancel_requested text COLLATE "C",
  PRIMARY KEY (app_id, position),
  CHECK ((due_at IS NULL) <> (lease_token IS NULL)),
  CHECK ((lease_token IS NULL) = (lease_until IS NULL)),
  CHECK ((lease_token IS NULL) = (started_at IS NULL))
);

INSERT INTO kyc_relay_delivery_queue
SELECT delivery.app_id, delivery.position, delivery.delivery_id, delivery.endpoint_id, delivery.attempts_made,
  delivery.due_at, delivery.lease_token, delivery.lease_until,
  CASE WHEN delivery.lease_token IS NOT NULL THEN coalesce(attempt.started_at, delivery.created_at) END,
  delivery.unsent_since, delivery.cancel_requested
FROM kyc_relay_deliveries AS delivery
LEFT JOIN kyc_relay_attempts AS attempt
  ON attempt.delivery_id = delivery.delivery_id AND attempt.number = delivery.attempts_made AND attempt.state = 'STARTED'
WHERE delivery.state = 'PENDING';

CREATE INDEX kyc_relay_delivery_queue_waiting ON kyc_relay_delivery_queue (endpoint_id, due_at, position)
  WHERE due_at IS NOT NULL;
CREATE INDEX kyc_relay_delivery_queue_leased ON kyc_relay_delivery_queue (lease_until, position)
  WHERE lease_until IS NOT NULL;

DELETE FROM kyc_relay_attempts WHERE state = 'STARTED';
ALTER TABLE kyc_relay_attempts
  DROP CONSTRAINT kyc_relay_attempts_state_check,
  DROP CONSTRAINT kyc_relay_attempts_check,
  ADD CONSTRAINT kyc_relay_attempts_state_check CHECK (state IN ('SUCCEEDED', 'FAILED', 'INTERRUPTED', 'UNSENT')),
  DROP CONSTRAINT kyc_relay_attempts_delivery_id_fkey,
  ALTER COLUMN ended_at SET NOT NULL;

-- Dropping the columns drops the indexes and checks that hold them. Null for what was delivered: a row that never
-- comes into the index, nor leaves it, can be changed in its place.
DROP INDEX kyc_relay_deliveries_of_app_by_state;
ALTER TABLE kyc_relay_deliveries
  DROP COLUMN due_at,
  DROP COLUMN lease_token,
  DROP COLUMN lease_until,
  DROP COLUMN unsent_since,
  DROP COLUMN cancel_requested,
  ADD COLUMN undelivered text COLLATE "C"
    GENERATED ALWAYS AS (CASE WHEN state IN ('FAILED', 'CANCELLED') THEN state END) STORED,
  SET (fillfactor = 80);
CREATE INDEX kyc_relay_deliveries_undelivered ON kyc_relay_deliveries (app_id, undelivered, position)
  WHERE undelivered IS NOT NULL;
ALTER TABLE kyc_relay_endpoint_turns SET (fillfactor = 50);
