# Verifies a webhook in Ruby. The body comes on standard input, the value of X-HMAC-Signature as the argument.
require "openssl"

def from_service?(body, signature, api_key)
  return false if api_key.empty? # Anybody can sign with an empty key.

  expected = OpenSSL::HMAC.hexdigest("SHA256", api_key, body)
  OpenSSL.secure_compare(expected, signature)
end

valid = from_service?($stdin.binmode.read, ARGV[0], ENV.fetch("KYC_RELAY_API_KEY", ""))
exit(valid ? 0 : 1)
