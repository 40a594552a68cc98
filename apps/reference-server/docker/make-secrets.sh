#!/bin/sh
# Makes what compose.yaml mounts as secrets, in the folder that is given (default: secrets beside compose.yaml). Files
# that are there stay as they are: a new key file could not open what the old one sealed.
set -eu
umask 077

folder=${1:-$(dirname "$0")/../secrets}
mkdir -p "$folder"
cd "$folder"
echo '*' >.gitignore

if [ ! -e postgres-password ]; then openssl rand -hex 32 >postgres-password; fi
if [ ! -e internal-token ]; then openssl rand -hex 32 >internal-token; fi

password=$(cat postgres-password)
if [ ! -e database-url ]; then echo "postgres://kyc:$password@postgres:5432/kyc" >database-url; fi
if [ ! -e vault-database-url ]; then echo "postgres://kyc:$password@postgres:5432/vault" >vault-database-url; fi

if [ ! -e keys.json ]; then
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  seal=seal-$(openssl rand -hex 8)
  fingerprint=fingerprint-$(openssl rand -hex 8)
  cat >keys.json <<KEYS
{
  "version": 1,
  "activeSealKeyId": "$seal",
  "activeFingerprintKeyId": "$fingerprint",
  "keys": [
    { "id": "$seal", "purpose": "seal", "key": "$(openssl rand -base64 32)", "createdAt": "$now" },
    { "id": "$fingerprint", "purpose": "fingerprint", "key": "$(openssl rand -base64 32)", "createdAt": "$now" }
  ]
}
KEYS
fi

# For a trial on this machine. In production: a certificate of a public CA, or a proxy that ends TLS.
if [ ! -e tls.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout tls-key.pem -out tls.pem 2>/dev/null
fi

# The containers read them as another user; the folder keeps everybody else out.
chmod 0644 ./*
