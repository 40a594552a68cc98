#!/bin/sh
# Starts PostgreSQL in its container. The image runs scripts for a new database as the user postgres, who may not read
# the secrets: their passwords are read here, as root, and given to create-databases.sql as variables.
set -eu

for name in KYC_PASSWORD VAULT_PASSWORD KYC_APP_PASSWORD VAULT_APP_PASSWORD; do
  eval "path=\${${name}_FILE:-}"
  value=
  if [ -r "$path" ]; then value=$(cat "$path"); fi
  if [ -z "$value" ]; then
    echo "${name}_FILE: the file cannot be read, or is empty" >&2
    exit 78
  fi
  export "$name=$value"
  unset "${name}_FILE"
done

exec docker-entrypoint.sh "$@"
