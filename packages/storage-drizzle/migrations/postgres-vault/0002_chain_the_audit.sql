-- Each entry carries the MAC of the one before. subject: what it is about, by kind.
CREATE TABLE kyc_relay_vault_audit_entries (
  chain integer NOT NULL,
  sequence bigint NOT NULL CHECK (sequence >= 1),
  kind text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  app_id text COLLATE "C",
  user_id text COLLATE "C",
  subject text COLLATE "C" NOT NULL,
  content_digest bytea NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  previous_mac bytea NOT NULL,
  mac bytea NOT NULL,
  PRIMARY KEY (chain, sequence)
);

CREATE UNIQUE INDEX kyc_relay_vault_audit_entries_of_row ON kyc_relay_vault_audit_entries (subject) WHERE kind = 'VALUE_REVEALED';

-- The newest entry of each chain. An append locks its row until the transaction ends.
CREATE TABLE kyc_relay_vault_audit_heads (
  chain integer NOT NULL PRIMARY KEY,
  sequence bigint NOT NULL,
  mac bytea NOT NULL
) WITH (fillfactor = 10);
