# Verifies a webhook in Python. The body comes on standard input, the value of X-HMAC-Signature as the argument.
import hashlib
import hmac
import os
import sys
from typing import Optional


def is_from_service(body: bytes, signature: Optional[str], api_key: str) -> bool:
    if not signature or not api_key:  # No header, or an empty key, with which anybody can sign.
        return False
    expected = hmac.new(api_key.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


header = sys.argv[1] if len(sys.argv) > 1 else None
valid = is_from_service(sys.stdin.buffer.read(), header, os.environ.get("KYC_RELAY_API_KEY", ""))
sys.exit(0 if valid else 1)
