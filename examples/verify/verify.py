# Verifies a webhook in Python. The body comes on standard input, the value of X-HMAC-Signature as the argument.
import hashlib
import hmac
import os
import sys


def is_from_service(body: bytes, signature: str, api_key: str) -> bool:
    if api_key == "":  # Anybody can sign with an empty key.
        return False
    expected = hmac.new(api_key.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


valid = is_from_service(sys.stdin.buffer.read(), sys.argv[1], os.environ.get("KYC_RELAY_API_KEY", ""))
sys.exit(0 if valid else 1)
