#!/bin/sh
# Gives the server's roles their rights on the tables that exist now. compose.yaml runs it after each migration, in the
# image of PostgreSQL, as the owner of each database. PGHOST and PGPORT say where the server is.
set -eu

# grant OWNER PASSWORD_FILE [PREFIX]: the database has the name of its owner, the role for the server ends in _app. Tables with
# the prefix get their rights too.
grant() {
  if [ ! -r "$2" ] || [ ! -s "$2" ]; then
    echo "grant-rights.sh: the password of $1 cannot be read, or is empty" >&2
    exit 78
  fi
  PGPASSWORD=$(cat "$2")
  export PGPASSWORD
  PGOPTIONS="-c kyc_relay.role=$1_app -c kyc_relay.own_tables=${3:-}" psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$1" --dbname "$1" \
    --file "${RUNTIME_RIGHTS_SQL:-/usr/local/share/kyc-relay/postgres-runtime.sql}"
}

grant kyc "${KYC_PASSWORD_FILE:-}" portal_
grant vault "${VAULT_PASSWORD_FILE:-}"
