#!/bin/sh
# Makes what compose.yaml mounts as secrets, in the folder that is given (default: secrets beside compose.yaml), each
# readable by its owner alone. Files that are there stay as they are: a new key file could not open what the old one
# sealed. It can be run again, and after a run that was cut off.
set -eu
umask 077

# The containers read the files as they are here, so their user must own them. As root the files are given to it.
server_user=${KYC_RELAY_USER:-1000:1000}

folder=${1:-$(dirname "$0")/../secrets}
mkdir -p "$folder"
cd "$folder"

part=
trap 'rm -f "$part"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
  echo "make-secrets.sh: $1" >&2
  exit 1
}

is_missing() {
  if [ ! -e "$1" ]; then return 0; fi
  if [ ! -f "$1" ]; then fail "$1 is not a file"; fi
  if [ ! -s "$1" ]; then fail "$1 is empty; remove it and run this again"; fi
  return 1
}

# keep NAME COMMAND…: what the command prints becomes the file NAME, whole or not at all. One that appeared meanwhile
# stays.
keep() {
  name=$1
  shift
  part=$(mktemp "./.$name.XXXXXX")
  "$@" >"$part"
  if [ ! -s "$part" ]; then fail "$name could not be made"; fi
  sync "$part"
  ln "$part" "$name" 2>/dev/null || [ -s "$name" ] || fail "$name could not be made"
  rm -f "$part"
}

keys() {
  cat <<KEYS
{
  "version": 1,
  "activeSealKeyId": "$seal_id",
  "activeFingerprintKeyId": "$fingerprint_id",
  "keys": [
    { "id": "$seal_id", "purpose": "seal", "key": "$seal_key", "createdAt": "$now" },
    { "id": "$fingerprint_id", "purpose": "fingerprint", "key": "$fingerprint_key", "createdAt": "$now" }
  ]
}
KEYS
}

private_key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 2>/dev/null
}

certificate() {
  openssl req -x509 -key tls-key.pem -days 365 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
}

if [ ! -e .gitignore ]; then keep .gitignore echo '*'; fi

passwords='postgres-password kyc-password vault-password kyc-app-password vault-app-password'
for name in $passwords internal-token metrics-token; do
  if is_missing $name; then keep $name openssl rand -hex 32; fi
done

# Read back: of two runs at once both take the password that is in the file.
# url NAME ROLE DATABASE
url() {
  if is_missing "$1"; then
    password=$(cat "$(echo "$2" | tr _ -)-password")
    keep "$1" echo "postgres://$2:$password@postgres:5432/$3"
  fi
}
# The owners migrate; the server runs as roles without DDL.
url database-owner-url kyc kyc
url vault-database-owner-url vault vault
url database-url kyc_app kyc
url vault-database-url vault_app vault

if is_missing keys.json; then
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  seal_id=$(openssl rand -hex 8)
  seal_id=seal-$seal_id
  seal_key=$(openssl rand -base64 32)
  fingerprint_id=$(openssl rand -hex 8)
  fingerprint_id=fingerprint-$fingerprint_id
  fingerprint_key=$(openssl rand -base64 32)
  keep keys.json keys
fi

# For a trial on this machine. In production: a certificate of a public CA, or a proxy that ends TLS.
if is_missing tls-key.pem; then
  if [ -e tls.pem ]; then fail 'tls.pem is there without tls-key.pem'; fi
  keep tls-key.pem private_key
fi
if is_missing tls.pem; then keep tls.pem certificate; fi

# Earlier versions made them readable by everybody.
urls='database-url vault-database-url database-owner-url vault-database-owner-url'
for name in $passwords internal-token metrics-token $urls keys.json tls.pem tls-key.pem; do
  # A link leads to a file of somebody else.
  if [ -L "$name" ]; then continue; fi
  chmod 0600 "$name"
  if [ "$(id -u)" = 0 ]; then chown "$server_user" "$name"; fi
done

sync .

if [ "$(id -u)" != 0 ] && [ "$(id -u):$(id -g)" != "$server_user" ]; then
  echo "The secrets belong to $(id -u):$(id -g). Start the containers as this user: KYC_RELAY_USER=$(id -u):$(id -g)" >&2
fi
