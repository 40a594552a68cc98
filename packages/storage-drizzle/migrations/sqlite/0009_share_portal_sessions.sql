-- Any process of the portal knows who is signed in.
CREATE TABLE kyc_relay_portal_sessions (
  hash BLOB NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('app', 'operator')),
  app_id TEXT NOT NULL,
  app_name TEXT,
  key_version INTEGER,
  begun_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  latest_end_at INTEGER NOT NULL,
  notice TEXT,
  CHECK ((kind = 'app') = (app_name IS NOT NULL)),
  CHECK ((kind = 'app') = (key_version IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX kyc_relay_portal_sessions_of_holder ON kyc_relay_portal_sessions (kind, app_id, begun_at);
CREATE INDEX kyc_relay_portal_sessions_by_end ON kyc_relay_portal_sessions (ends_at);

CREATE TABLE kyc_relay_portal_previews (
  position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  session BLOB NOT NULL REFERENCES kyc_relay_portal_sessions (hash) ON DELETE CASCADE,
  preview_id TEXT NOT NULL,
  content BLOB NOT NULL,
  UNIQUE (session, preview_id)
) STRICT;

CREATE INDEX kyc_relay_portal_previews_of_session ON kyc_relay_portal_previews (session, position);
