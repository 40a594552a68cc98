-- Claims count what they took in the turn, which they hold; settlements count what has ended in a row of their own, so
-- that neither waits for the other. In flight is the difference.
CREATE TABLE kyc_relay_endpoint_ends (
  endpoint_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES kyc_relay_endpoints (endpoint_id),
  ended bigint NOT NULL CHECK (ended >= 0)
) WITH (fillfactor = 50);

ALTER TABLE kyc_relay_endpoint_turns ADD COLUMN claimed bigint NOT NULL DEFAULT 0 CHECK (claimed >= 0);
UPDATE kyc_relay_endpoint_turns SET claimed = in_flight WHERE in_flight > 0;
ALTER TABLE kyc_relay_endpoint_turns DROP COLUMN in_flight;
