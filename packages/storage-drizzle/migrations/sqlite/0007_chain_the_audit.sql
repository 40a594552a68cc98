-- Each entry carries the MAC of the one before. subject: what it is about, by kind.
CREATE TABLE kyc_relay_audit_entries (
  sequence INTEGER NOT NULL PRIMARY KEY CHECK (sequence >= 1),
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  app_id TEXT,
  user_id TEXT,
  subject TEXT NOT NULL,
  content_digest BLOB NOT NULL,
  key_id TEXT NOT NULL,
  previous_mac BLOB NOT NULL,
  mac BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX kyc_relay_audit_entries_of_row ON kyc_relay_audit_entries (subject) WHERE kind = 'VERIFICATION_RECORDED';
