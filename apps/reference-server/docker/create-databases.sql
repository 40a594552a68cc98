-- Run once, by psql, as a superuser of a new server. Each database has an owner, which migrates it, and a role for the
-- server, which has no DDL. None of them is a superuser, and none connects to the other database.

-- A statement that fails is not logged with its password.
SET log_statement = 'none';
SET log_min_error_statement = 'panic';

\getenv kyc_password KYC_PASSWORD
\getenv vault_password VAULT_PASSWORD
\getenv kyc_app_password KYC_APP_PASSWORD
\getenv vault_app_password VAULT_APP_PASSWORD

CREATE ROLE kyc LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'kyc_password';
CREATE ROLE vault LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'vault_password';
CREATE ROLE kyc_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'kyc_app_password';
CREATE ROLE vault_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'vault_app_password';

CREATE DATABASE kyc OWNER kyc;
CREATE DATABASE vault OWNER vault;
REVOKE ALL ON DATABASE kyc, vault, postgres, template1 FROM PUBLIC;
GRANT CONNECT ON DATABASE kyc TO kyc_app;
GRANT CONNECT ON DATABASE vault TO vault_app;

-- Newer versions have made it so. PostgreSQL 14 keeps the schema from the owners, and lets everybody create tables there.
\connect kyc
ALTER SCHEMA public OWNER TO pg_database_owner;
\connect vault
ALTER SCHEMA public OWNER TO pg_database_owner;
