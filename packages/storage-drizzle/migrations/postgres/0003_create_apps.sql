CREATE TABLE kyc_relay_apps (
  app_id text COLLATE "C" NOT NULL PRIMARY KEY,
  name text COLLATE "C" NOT NULL
);

CREATE TABLE kyc_relay_api_keys (
  app_id text COLLATE "C" NOT NULL REFERENCES kyc_relay_apps (app_id),
  version integer NOT NULL CHECK (version >= 1),
  hash bytea NOT NULL UNIQUE,
  sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  signs_from timestamptz(3) NOT NULL,
  retired_at timestamptz(3),
  PRIMARY KEY (app_id, version)
);

CREATE TABLE kyc_relay_grants (
  app_id text COLLATE "C" NOT NULL REFERENCES kyc_relay_apps (app_id),
  user_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  external_reference_id text COLLATE "C" NOT NULL,
  scopes text COLLATE "C" NOT NULL,
  PRIMARY KEY (app_id, user_id)
);

CREATE INDEX kyc_relay_grants_of_user ON kyc_relay_grants (user_id);

CREATE TABLE kyc_relay_access_tokens (
  hash bytea NOT NULL PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  scopes text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  FOREIGN KEY (app_id, user_id) REFERENCES kyc_relay_grants (app_id, user_id) ON DELETE CASCADE
);

CREATE INDEX kyc_relay_access_tokens_of_grant ON kyc_relay_access_tokens (app_id, user_id);
CREATE INDEX kyc_relay_access_tokens_by_expiry ON kyc_relay_access_tokens (expires_at);
