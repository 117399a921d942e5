// The cryptography of access tokens and signed links, on top of OpenSSL.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

inline constexpr std::size_t kDigestBytes = 32;  // of HMAC-SHA-256

// Returns cryptographically secure random bytes. Throws std::runtime_error if the system provides
// none.
std::string random_bytes(std::size_t count);

// Returns kDigestBytes bytes. Throws std::runtime_error if OpenSSL fails.
std::string hmac_sha256(std::string_view key, std::string_view text);

// Compares two secrets. The time of the comparison depends on their lengths alone.
bool same_secret(std::string_view one, std::string_view other);

// Encodes as base64url (RFC 4648, section 5), without padding.
std::string to_base64url(std::string_view bytes);
// Decodes base64url. Returns nullopt unless `text` is exactly what to_base64url() writes.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace surtitle
