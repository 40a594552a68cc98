# Reads lines of "id <tab> key in hex <tab> body in hex"; prints "id <tab> HMAC-SHA-256 in hex".
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256_hex);

while (my $line = <STDIN>) {
    chomp $line;
    my ($id, $key, $body) = split /\t/, $line, -1;
    print "$id\t", hmac_sha256_hex(pack("H*", $body), pack("H*", $key)), "\n";
}
