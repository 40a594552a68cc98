# Reads lines of "id <tab> key in hex <tab> body in hex"; prints "id <tab> HMAC-SHA-256 in hex". Bash and OpenSSL.
while IFS=$'\t' read -r id key body; do
  signature=$(printf "%b" "$(sed 's/../\\x&/g' <<<"$body")" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -r)
  printf '%s\t%s\n' "$id" "${signature%% *}"
done
