-- A grant that was revoked and not given again. Tokens of an OAuth server outlive it, and must not be accepted.
CREATE TABLE kyc_relay_revoked_grants (
  app_id text COLLATE "C" NOT NULL REFERENCES kyc_relay_apps (app_id),
  user_id text COLLATE "C" NOT NULL,
  revoked_at timestamptz(3) NOT NULL,
  PRIMARY KEY (app_id, user_id)
);
