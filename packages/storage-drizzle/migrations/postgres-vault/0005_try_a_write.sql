-- One row that a process writes to learn whether the database takes writes.
CREATE TABLE kyc_relay_vault_readiness (
  id integer NOT NULL PRIMARY KEY CHECK (id = 1),
  at timestamptz(3) NOT NULL
);
