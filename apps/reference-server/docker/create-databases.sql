-- Run once, by psql, as a superuser of a new server. The server's two roles are none: each owns one database and
-- connects to no other, so that who reads the one cannot join it with the other.

-- A statement that fails is not logged with its password.
SET log_statement = 'none';
SET log_min_error_statement = 'panic';

\getenv kyc_password KYC_PASSWORD
\getenv vault_password VAULT_PASSWORD

CREATE ROLE kyc LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'kyc_password';
CREATE ROLE vault LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'vault_password';

CREATE DATABASE kyc OWNER kyc;
CREATE DATABASE vault OWNER vault;
REVOKE ALL ON DATABASE kyc, vault, postgres, template1 FROM PUBLIC;
