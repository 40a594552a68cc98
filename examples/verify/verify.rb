# Verifies a webhook in Ruby. The body comes on standard input, the value of X-HMAC-Signature as the argument.
require "openssl"

def from_service?(body, signature, api_key)
  return false if signature.nil? || api_key.empty? # No header, or an empty key, with which anybody can sign.

  expected = OpenSSL::HMAC.hexdigest("SHA256", api_key, body)
  OpenSSL.secure_compare(expected, signature)
end

valid = from_service?($stdin.binmode.read, ARGV[0], ENV.fetch("KYC_RELAY_API_KEY", ""))
exit(valid ? 0 : 1)
