<?php
// Reads lines of "id <tab> key in hex <tab> body in hex"; prints "id <tab> HMAC-SHA-256 in hex".
while (($line = fgets(STDIN)) !== false) {
    [$id, $key, $body] = explode("\t", rtrim($line, "\n"));
    echo $id, "\t", hash_hmac('sha256', hex2bin($body), hex2bin($key)), "\n";
}
