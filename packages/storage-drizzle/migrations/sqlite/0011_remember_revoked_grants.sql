-- A grant that was revoked and not given again. Tokens of an OAuth server outlive it, and must not be accepted.
CREATE TABLE kyc_relay_revoked_grants (
  app_id TEXT NOT NULL REFERENCES kyc_relay_apps (app_id),
  user_id TEXT NOT NULL,
  revoked_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, user_id)
) STRICT, WITHOUT ROWID;
