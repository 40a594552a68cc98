#!/bin/sh
# Starts the server in its container. A setting can be given as a file: NAME_FILE holds the path of what NAME would be,
# as secrets are mounted.
set -eu

for name in DATABASE_URL VAULT_DATABASE_URL INTERNAL_TOKEN; do
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
  export "$name=$value"
  unset "${name}_FILE"
done

# The server takes the place of this shell, so that it gets the signals.
exec node "$(dirname "$0")/../dist/main.js" "$@"
