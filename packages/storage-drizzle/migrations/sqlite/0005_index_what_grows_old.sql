CREATE INDEX kyc_relay_events_by_age ON kyc_relay_events (created_at) WHERE body IS NOT NULL;
CREATE INDEX kyc_relay_attempts_by_age ON kyc_relay_attempts (started_at);
