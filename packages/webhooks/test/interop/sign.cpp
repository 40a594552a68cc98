// Reads lines of "id <tab> key in hex <tab> body in hex"; prints "id <tab> HMAC-SHA-256 in hex".
// SHA-256 by FIPS 180-4 and HMAC by RFC 2104, written out: a Debian machine has a compiler, not always a crypto library.
#include <array>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using Bytes = std::vector<uint8_t>;

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

static Bytes sha256(Bytes message) {
  std::array<uint32_t, 8> h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint64_t bits = message.size() * 8ull;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int i = 7; i >= 0; i--) message.push_back(bits >> (8 * i));
  for (size_t block = 0; block < message.size(); block += 64) {
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
      w[t] = 0;
      for (int i = 0; i < 4; i++) w[t] = w[t] << 8 | message[block + 4 * t + i];
    }
    for (int t = 16; t < 64; t++) {
      const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
      const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto v = h;
    for (int t = 0; t < 64; t++) {
      const uint32_t s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
      const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[t] + w[t];
      const uint32_t s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
      const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      v = {t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
  }
  Bytes digest;
  for (uint32_t word : h)
    for (int i = 3; i >= 0; i--) digest.push_back(word >> (8 * i));
  return digest;
}

static Bytes hmac(Bytes key, const Bytes &text) {
  if (key.size() > 64) key = sha256(key);
  key.resize(64);
  Bytes inner, outer;
  for (uint8_t byte : key) inner.push_back(byte ^ 0x36), outer.push_back(byte ^ 0x5c);
  inner.insert(inner.end(), text.begin(), text.end());
  const Bytes digest = sha256(inner);
  outer.insert(outer.end(), digest.begin(), digest.end());
  return sha256(outer);
}

static Bytes unhex(const std::string &text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) bytes.push_back(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::stringstream fields(line);
    std::string id, key, body;
    std::getline(fields, id, '\t');
    std::getline(fields, key, '\t');
    std::getline(fields, body, '\t');
    std::cout << id << '\t';
    for (uint8_t byte : hmac(unhex(key), unhex(body))) std::cout << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
    std::cout << '\n';
  }
}
