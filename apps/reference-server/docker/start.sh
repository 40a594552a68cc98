#!/bin/sh
# Starts the server in its container, or, with the argument `audit`, `migrate` or `operator`, that command. A setting can be given as
# a file: NAME_FILE holds the path of what NAME would be, as secrets are mounted.
set -eu

for name in DATABASE_URL VAULT_DATABASE_URL INTERNAL_TOKEN METRICS_TOKEN OUTBOUND_PROXY PHOTO_S3_ACCESS_KEY_ID PHOTO_S3_SECRET_ACCESS_KEY; do
  eval "path=\${${name}_FILE:-}"
  [ -n "$path" ] || continue
  eval "given=\${${name}:-}"
  if [ -n "$given" ]; then
    echo "$name and ${name}_FILE: set one of them" >&2
    exit 78
  fi
  if [ ! -r "$path" ]; then
    echo "${name}_FILE: the file cannot be read" >&2
    exit 78
  fi
  # Without the line break that editors leave at the end.
  value=$(cat "$path")
  # A setting that is empty counts as not set, and an unset DATABASE_URL means a file of this container.
  if [ -z "$value" ]; then
    echo "${name}_FILE: the file is empty" >&2
    exit 78
  fi
  export "$name=$value"
  unset "${name}_FILE"
done

# The command takes the place of this shell, so that it gets the signals.
app=$(dirname "$0")/..
case ${1:-} in
  audit)
    shift
    exec node "$app/dist/audit.js" "$@"
    ;;
  operator)
    shift
    exec node "$app/dist/operator.js" "$@"
    ;;
  migrate)
    shift
    migrate=$app/../../packages/storage-drizzle/bin/kyc-relay-migrate.js
    # The server's own tables lie in the business database: the one named last, or else that of DATABASE_URL.
    database=${DATABASE_URL:-}
    for argument; do
      case $argument in
        --vault | --receiver | --version) exec node "$migrate" "$@" ;;
        -* | status | up) ;;
        *) database=$argument ;;
      esac
    done
    case $database in
      postgres*) engine=postgres ;;
      *) engine=sqlite ;;
    esac
    exec node "$migrate" "$@" --own-tables "portal_=$app/migrations/$engine"
    ;;
esac
exec node "$app/dist/main.js" "$@"
