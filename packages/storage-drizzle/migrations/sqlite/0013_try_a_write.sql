-- One row that a process writes to learn whether the database takes writes.
CREATE TABLE kyc_relay_readiness (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;
