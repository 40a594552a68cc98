#!/usr/bin/env python3
"""Makes src/testing/vectors.json with Python's own hmac module, independently of the package's code.

Usage: python3 packages/webhooks/scripts/make-signature-vectors.py [--print]

Each vector is one request: the exact bytes of its body (base64), its headers, the secrets that the receiver holds, and
what must come of it: the event's type, or the code of the refusal with the reason for it.
"""

import base64
import hashlib
import hmac
import json
import sys
from pathlib import Path

SECRET = "kyc_test_4f0c9d6e2b8a4713a5c1e0d7f9b3a862"
OTHER_SECRET = "kyc_test_another_application_00000000000"
EVENT_ID = "0198c0de-0000-7000-8000-000000000001"
NIL = "00000000-0000-0000-0000-000000000000"


def sign(body: bytes, secret: str) -> str:
    return hmac.new(secret.encode("utf-8"), body, hashlib.sha256).hexdigest()


WIDGET = {
    "eventType": "WIDGET_DEPOSIT_COMPLETE",
    "userId": "0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01",
    "accountId": "7c1f6d52-8f0e-4c5e-a1f2-5f3b0a9d4e02",
    "externalReferenceId": "customer-1042",
    "appId": "b54c7a90-2d3e-4f1a-8b6c-9e8d7c6b5a03",
    "amount": 100.5,
}
DECLINE = {
    "transactionId": "c2b1a098-7f6e-4d5c-8b3a-291807f6e507",
    "transactionType": "VIRTUAL_CARD_PURCHASE",
    "amount": 1250,
    "fluzAmount": 1250,
    "externalFundingAmount": 0,
    "currency": "USD",
    "status": "DECLINED",
    "isCashBalanceUsed": True,
    "isPrepaymentBalanceUsed": False,
    "isRewardsBalanceUsed": False,
    "isReserveBalanceUsed": False,
    "transactionDateTime": "2026-03-02T15:04:05.000Z",
}


def compact(value) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


BODY = compact(WIDGET)
vectors = []


def add(id, body, result, reason, *, signature=..., secrets=(SECRET,), headers=None):
    """`result` is an event type for an accepted request, or the code of the refusal."""
    refused = result in CODES
    given = {"X-HMAC-Signature": sign(body, SECRET) if signature is ... else signature, "X-Event-ID": EVENT_ID}
    given.update(headers or {})
    vectors.append(
        {
            "id": id,
            "reason": reason,
            "bodyBase64": base64.b64encode(body).decode("ascii"),
            "headers": {name: value for name, value in given.items() if value is not None},
            "secrets": list(secrets),
            "accepted": not refused,
            "code": result if refused else None,
            "type": None if refused else result,
            "test": not refused and NIL.encode() in body,
        }
    )


CODES = {
    "SIGNATURE_MISSING", "SIGNATURE_MALFORMED", "SIGNATURE_MISMATCH", "EVENT_ID_MISSING", "BODY_EMPTY",
    "PAYLOAD_INVALID", "SECRET_MISSING",
}
GOOD = sign(BODY, SECRET)

# Accepted
add("widget", BODY, "WIDGET_DEPOSIT_COMPLETE", "The plain case.")
add("kyc-initiation", compact({**WIDGET, "eventType": "WIDGET_KYC_INITIATION"}), "WIDGET_KYC_INITIATION", "Another type.")
add("decline", compact(DECLINE), "TRANSACTION_DECLINE", "A decline carries no eventType and is told by its shape.")
add("unknown-type", compact({**WIDGET, "eventType": "CARD_FROZEN"}), "UNKNOWN", "Types of later versions are not an error.")
add("no-type", compact({"hello": "world"}), "UNKNOWN", "Neither an eventType nor the shape of a decline.")
add("unknown-field", compact({**WIDGET, "addedLater": {"a": [1, None]}}), "WIDGET_DEPOSIT_COMPLETE", "Unknown fields are kept.")
add("test-event", compact({**WIDGET, "userId": NIL, "accountId": NIL}), "WIDGET_DEPOSIT_COMPLETE", "Nil UUIDs mark a test event.")
add("unicode", compact({**WIDGET, "externalReferenceId": "Zoë 李 🙂 \u2028"}), "WIDGET_DEPOSIT_COMPLETE", "Bytes of two, three and four per character.")
add("python-separators", json.dumps(WIDGET).encode(), "WIDGET_DEPOSIT_COMPLETE", "What is signed decides, not how it is written.")
add("trailing-newline-signed", BODY + b"\n", "WIDGET_DEPOSIT_COMPLETE", "A newline that was signed belongs to the body.")
add("second-secret", BODY, "WIDGET_DEPOSIT_COMPLETE", "Any of several secrets is enough while keys are rotated.", secrets=(OTHER_SECRET, SECRET))
add("non-ascii-secret", BODY, "WIDGET_DEPOSIT_COMPLETE", "The key is the secret's UTF-8 bytes.", signature=sign(BODY, "schlüssel-🔑"), secrets=("schlüssel-🔑",))
add("secret-of-64-bytes", BODY, "WIDGET_DEPOSIT_COMPLETE", "A key as long as a block of SHA-256.", signature=sign(BODY, "k" * 64), secrets=("k" * 64,))
add("secret-of-65-bytes", BODY, "WIDGET_DEPOSIT_COMPLETE", "A key longer than a block is hashed first.", signature=sign(BODY, "k" * 65), secrets=("k" * 65,))
add("lower-case-header-names", BODY, "WIDGET_DEPOSIT_COMPLETE", "Header names have no case.",
    headers={"X-HMAC-Signature": None, "X-Event-ID": None, "x-hmac-signature": GOOD, "x-event-id": EVENT_ID})
large = compact({**WIDGET, "externalReferenceId": "x" * 6000})
add("large", large, "WIDGET_DEPOSIT_COMPLETE", "Six kilobytes.")

# Refused: the header
add("signature-absent", BODY, "SIGNATURE_MISSING", "No signature at all.", signature=None)
add("signature-empty", BODY, "SIGNATURE_MISSING", "An empty header is no signature.", signature="")
add("signature-upper-case", BODY, "SIGNATURE_MALFORMED", "Upper-case hexadecimal.", signature=GOOD.upper())
add("signature-63", BODY, "SIGNATURE_MALFORMED", "One character short.", signature=GOOD[:-1])
add("signature-65", BODY, "SIGNATURE_MALFORMED", "One character too many.", signature=GOOD + "0")
add("signature-not-hex", BODY, "SIGNATURE_MALFORMED", "A character that decoders of hexadecimal text stop at.", signature=GOOD[:62] + "zz")
add("signature-prefix", BODY, "SIGNATURE_MALFORMED", "A prefix.", signature="sha256=" + GOOD)
add("signature-base64", BODY, "SIGNATURE_MALFORMED", "Base64.", signature=base64.b64encode(bytes.fromhex(GOOD)).decode())
add("signature-twice", BODY, "SIGNATURE_MALFORMED", "Sent twice: which one counts would be a guess.", signature=f"{GOOD}, {GOOD}")
add("signature-newline", BODY, "SIGNATURE_MALFORMED", "A newline at the end, which a $ in a pattern may overlook.", signature=GOOD + "\n")
add("signature-full-width", BODY, "SIGNATURE_MALFORMED", "A full-width digit is no digit.", signature=GOOD[:-1] + "\uff11")
add("event-id-absent", BODY, "EVENT_ID_MISSING", "Authentic, but duplicates could not be told.", headers={"X-Event-ID": None})
add("event-id-empty", BODY, "EVENT_ID_MISSING", "An empty id.", headers={"X-Event-ID": ""})
add("event-id-twice", BODY, "EVENT_ID_MISSING", "Two ids.", headers={"X-Event-ID": f"{EVENT_ID}, {EVENT_ID[:-1]}2"})

# Refused: the signature does not match
add("signature-one-bit", BODY, "SIGNATURE_MISMATCH", "One digit differs.", signature=GOOD[:-1] + ("0" if GOOD[-1] != "0" else "1"))
add("signature-zeros", BODY, "SIGNATURE_MISMATCH", "All zeros.", signature="0" * 64)
add("other-secret", BODY, "SIGNATURE_MISMATCH", "The key of another application.", signature=sign(BODY, OTHER_SECRET))
add("empty-key", BODY, "SIGNATURE_MISMATCH", "Signed with an empty key, which anybody can.", signature=hmac.new(b"", BODY, hashlib.sha256).hexdigest())
add("plain-hash", BODY, "SIGNATURE_MISMATCH", "A SHA-256 without a key.", signature=hashlib.sha256(BODY).hexdigest())
add("hash-of-key-and-body", BODY, "SIGNATURE_MISMATCH", "SHA-256 of key and body is no HMAC.", signature=hashlib.sha256(SECRET.encode() + BODY).hexdigest())
add("other-body", compact({**WIDGET, "amount": 1000.5}), "SIGNATURE_MISMATCH", "The amount was changed.", signature=GOOD)
add("newline-added", BODY + b"\n", "SIGNATURE_MISMATCH", "A trailing newline was added on the way.", signature=GOOD)
add("crlf-added", BODY + b"\r\n", "SIGNATURE_MISMATCH", "A trailing CRLF was added on the way.", signature=GOOD)
add("bom-added", b"\xef\xbb\xbf" + BODY, "SIGNATURE_MISMATCH", "A byte order mark was added on the way.", signature=GOOD)
add("reserialised-python", json.dumps(WIDGET).encode(), "SIGNATURE_MISMATCH", "Parsed and serialised again by Python.", signature=GOOD)
add("reserialised-indented", json.dumps(WIDGET, indent=2).encode(), "SIGNATURE_MISMATCH", "Parsed and pretty-printed.", signature=GOOD)
add("key-order", compact(dict(sorted(WIDGET.items()))), "SIGNATURE_MISMATCH", "The order of the keys was changed.", signature=GOOD)
add("number-form", BODY.replace(b"100.5", b"100.50"), "SIGNATURE_MISMATCH", "100.5 became 100.50.", signature=GOOD)
add("truncated", BODY[:-7], "SIGNATURE_MISMATCH", "The end is missing.", signature=GOOD)
add("base64-body", base64.b64encode(BODY), "SIGNATURE_MISMATCH", "The body of a gateway that encodes it.", signature=GOOD)
add("object-as-text", b"[object Object]", "SIGNATURE_MISMATCH", "A parsed object turned into a string.", signature=GOOD)
add("secret-with-newline", BODY, "SIGNATURE_MISMATCH", "The receiver's secret ends with a newline.", secrets=(SECRET + "\n",))

# Refused: nothing to verify with, or nothing to deliver
add("body-empty", b"", "BODY_EMPTY", "Nothing to verify, even with a signature of nothing.")
add("no-secrets", BODY, "SECRET_MISSING", "No secret.", secrets=())
add("empty-secret", BODY, "SECRET_MISSING", "An empty secret must never verify anything.", signature=hmac.new(b"", BODY, hashlib.sha256).hexdigest(), secrets=("",))
add("not-json", b"hello", "PAYLOAD_INVALID", "Signed, but not JSON.")
add("json-array", b"[]", "PAYLOAD_INVALID", "Signed, but not an object.")
add("json-null", b"null", "PAYLOAD_INVALID", "Signed, but not an object.")
add("invalid-utf8", b'{"eventType":"\xff"}', "PAYLOAD_INVALID", "Signed, but not UTF-8.")
add("bom-signed", b"\xef\xbb\xbf" + BODY, "PAYLOAD_INVALID", "JSON does not start with a byte order mark (RFC 8259, 8.1).")

target = Path(__file__).resolve().parent.parent / "src" / "testing" / "vectors.json"
document = {
    "description": "Requests with the outcome that a receiver of the service's webhooks must come to.",
    "madeBy": "scripts/make-signature-vectors.py, with Python's hmac module",
    "vectors": vectors,
}
text = json.dumps(document, indent=2, ensure_ascii=True) + "\n"
if "--print" in sys.argv:
    sys.stdout.write(text)
else:
    target.write_text(text, encoding="utf-8")
    print(f"{len(vectors)} vectors")
