// The cryptography of tokens and links, all of it OpenSSL's.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

inline constexpr std::size_t kDigestBytes = 32;  // of HMAC-SHA-256

// Bytes that nobody can guess. Throws std::runtime_error where the system has none.
std::string random_bytes(std::size_t count);

// HMAC-SHA-256, 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view text);

// Whether both are the same, in a time that does not tell how much of them is.
bool same_secret(std::string_view one, std::string_view other);

// Base64 for addresses (RFC 4648, section 5), without padding.
std::string to_base64url(std::string_view bytes);
// The inverse; nothing where the text is not what to_base64url() writes.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace surtitle
