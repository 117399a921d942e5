#include "daemon/base/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <stdexcept>

namespace surtitle {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned int kBitsOfDigit = 6;
constexpr unsigned int kBitsOfByte = 8;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
    throw std::runtime_error("cannot make a secret: the system provides no random bytes");
  }
  return bytes;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string digest(kDigestBytes, '\0');
  unsigned int length = kDigestBytes;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
           reinterpret_cast<unsigned char*>(digest.data()), &length) == nullptr) {
    throw std::runtime_error("cannot compute HMAC-SHA-256: OpenSSL failed");
  }
  return digest;
}

bool same_secret(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string to_base64url(std::string_view bytes) {
  std::string text;
  unsigned int waiting = 0;
  unsigned int bits = 0;
  for (const char byte : bytes) {
    waiting = waiting << kBitsOfByte | static_cast<unsigned char>(byte);
    for (bits += kBitsOfByte; bits >= kBitsOfDigit;) {
      bits -= kBitsOfDigit;
      text += kDigits[waiting >> bits & 0x3FU];
    }
  }
  if (bits > 0) {
    text += kDigits[waiting << (kBitsOfDigit - bits) & 0x3FU];
  }
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  unsigned int waiting = 0;
  unsigned int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    waiting = waiting << kBitsOfDigit | static_cast<unsigned int>(digit);
    bits += kBitsOfDigit;
    if (bits >= kBitsOfByte) {
      bits -= kBitsOfByte;
      bytes += static_cast<char>(waiting >> bits & 0xFFU);
    }
  }
  // Each secret has exactly one spelling: no lone digit, no unused bits other than 0.
  return to_base64url(bytes) == text ? std::optional(bytes) : std::nullopt;
}

}  // namespace surtitle
