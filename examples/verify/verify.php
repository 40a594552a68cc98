<?php
// Verifies a webhook in PHP. The body comes on standard input, the value of X-HMAC-Signature as the argument.
function isFromService(string $body, ?string $signature, string $apiKey): bool
{
    if ($signature === null || $apiKey === '') {
        return false; // No header, or an empty key, with which anybody can sign.
    }
    return hash_equals(hash_hmac('sha256', $body, $apiKey), $signature);
}

$valid = isFromService(file_get_contents('php://stdin'), $argv[1] ?? null, (string) getenv('KYC_RELAY_API_KEY'));
exit($valid ? 0 : 1);
