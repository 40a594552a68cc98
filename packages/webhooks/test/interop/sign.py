# Reads lines of "id <tab> key in hex <tab> body in hex"; prints "id <tab> HMAC-SHA-256 in hex".
import hashlib, hmac, sys

for line in sys.stdin:
    id, key, body = line.rstrip("\n").split("\t")
    print(id, hmac.new(bytes.fromhex(key), bytes.fromhex(body), hashlib.sha256).hexdigest(), sep="\t")
