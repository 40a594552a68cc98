-- The rights of a database user that the stores, the vault and receivers run under: no DDL, and no change of what is only
-- ever added. Run it as the owner of the tables, in each database, after each `kyc-relay-migrate up`; it may be run again.
-- The processes are started with `migrations: 'require'` then (the server with DATABASE_MIGRATIONS=require).
--
-- The rights go to the group role kyc_relay_runtime, which is made if it is missing; that needs CREATEROLE:
--   psql -v ON_ERROR_STOP=1 -f postgres-runtime.sql kyc
--   psql -c "CREATE ROLE kyc_app LOGIN PASSWORD '…' IN ROLE kyc_relay_runtime" kyc
-- or to another role, so that each database has one of its own:
--   PGOPTIONS='-c kyc_relay.role=kyc_vault' psql -f postgres-runtime.sql vault
-- An application's own tables (the option ownTables of the stores) are named by their prefix; the reference server's are
-- portal_…:
--   PGOPTIONS='-c kyc_relay.own_tables=portal_' psql -f postgres-runtime.sql kyc
DO $$
DECLARE
  runtime text := coalesce(nullif(current_setting('kyc_relay.role', true), ''), 'kyc_relay_runtime');
  own text := nullif(current_setting('kyc_relay.own_tables', true), '');
  part record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = runtime) THEN
    EXECUTE format('CREATE ROLE %I NOLOGIN', runtime);
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), runtime);
  -- PostgreSQL 14 lets everybody create tables in the schema "public".
  EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
  FOR part IN
    SELECT c.oid::regclass AS name, c.relkind = 'S' AS is_sequence, CASE
      -- Positions that were given out are read, never set.
      WHEN c.relkind = 'S' THEN 'SELECT'
      WHEN c.relname LIKE 'kyc\_relay\_%migrations' OR c.relname = own || 'migrations' THEN 'SELECT'
      WHEN c.relname IN (
        'kyc_relay_audit_entries', 'kyc_relay_vault_audit_entries', 'kyc_relay_vault_audit',
        'kyc_relay_kyc_status_corrections'
      ) THEN 'SELECT, INSERT'
      -- An erasure blanks these columns.
      WHEN c.relname = 'kyc_relay_submission_keys' THEN 'SELECT, INSERT, UPDATE (payload_digest)'
      WHEN c.relname = 'kyc_relay_verifications' THEN 'SELECT, INSERT, UPDATE (payload_digest, ssn_token, erasable_key)'
      WHEN c.relname IN ('kyc_relay_audit_heads', 'kyc_relay_vault_audit_heads') THEN 'SELECT, INSERT, UPDATE'
      ELSE 'SELECT, INSERT, UPDATE, DELETE'
    END AS rights
    FROM pg_catalog.pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND (c.relname LIKE 'kyc\_relay\_%' OR starts_with(c.relname, own))
      AND c.relkind IN ('r', 'p', 'S')
  LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %I',
      CASE WHEN part.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END, part.name, runtime);
    EXECUTE format('GRANT %s ON %s %s TO %I',
      part.rights, CASE WHEN part.is_sequence THEN 'SEQUENCE' ELSE 'TABLE' END, part.name, runtime);
  END LOOP;
END $$;
