-- A delivery's trace points at the one that published its event, also after a restart.
ALTER TABLE kyc_relay_events ADD COLUMN trace_context text COLLATE "C";
