# Reads lines of "id <tab> key in hex <tab> body in hex"; prints "id <tab> HMAC-SHA-256 in hex".
require 'openssl'

STDIN.each_line(chomp: true) do |line|
  id, key, body = line.split("\t", -1)
  puts "#{id}\t#{OpenSSL::HMAC.hexdigest('SHA256', [key].pack('H*'), [body].pack('H*'))}"
end
