#include "daemon/access/link_keys.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "daemon/base/crypto.h"
#include "daemon/base/private_file.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {
namespace {

constexpr std::string_view kLinkBegin = "sl.";
constexpr std::size_t kKeyBytes = 32;

// The signed text names its purpose, so that a signature cannot be used for anything else.
std::string signature(std::string_view key, std::string_view signed_part) {
  return hmac_sha256(key, std::string("surtitle channel link\n").append(signed_part));
}

// Removes and returns the text before the next dot.
std::string_view consume_part(std::string_view& rest) {
  const std::size_t dot = std::min(rest.find('.'), rest.size());
  const std::string_view part = rest.substr(0, dot);
  rest.remove_prefix(std::min(dot + 1, rest.size()));
  return part;
}

// Parses "view.1795500000.main".
std::optional<Grant> read_link(std::string_view text) {
  const std::string_view role = consume_part(text);
  const std::string_view expires = consume_part(text);
  std::int64_t seconds = 0;
  const auto [end, error] =
      std::from_chars(expires.data(), expires.data() + expires.size(), seconds);
  if ((role != name(Role::kSend) && role != name(Role::kView)) || error != std::errc() ||
      end != expires.data() + expires.size() || !protocol::is_channel_name(text)) {
    return std::nullopt;
  }
  return Grant{"link-" + std::string(role) + "-" + std::string(text), Roles::parse(role),
               std::string(text), CalendarSeconds(std::chrono::seconds(seconds))};
}

}  // namespace

LinkKeys LinkKeys::read(const std::filesystem::path& file) {
  require_file_or_folder(file);
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    throw std::runtime_error(file.string() + ": the file cannot be read");
  }
  LinkKeys keys;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    const auto key = from_base64url(line);
    if (!key || key->size() != kKeyBytes) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) +
                               ": a line must be a key from 'surtitle token key'");
    }
    keys.keys_.push_back(*key);
  }
  if (in.bad()) {
    throw std::runtime_error(file.string() + ": the file cannot be read to its end");
  }
  if (keys.keys_.empty()) {
    throw std::runtime_error(file.string() + ": has no key; make one with 'surtitle token key'");
  }
  return keys;
}

std::string LinkKeys::sign(const ChannelLink& link) const {
  const std::string text = std::string(name(link.role)) + "." +
                           std::to_string(link.expires.time_since_epoch().count()) + "." +
                           link.channel;
  return std::string(kLinkBegin) + text + "." + to_base64url(signature(keys_.front(), text));
}

std::optional<Grant> LinkKeys::find(std::string_view token) const {
  const std::size_t last = token.rfind('.');
  if (!token.starts_with(kLinkBegin) || last < kLinkBegin.size()) {
    return std::nullopt;
  }
  const std::string_view text = token.substr(kLinkBegin.size(), last - kLinkBegin.size());
  const auto given = from_base64url(token.substr(last + 1));
  const bool good = given && std::any_of(keys_.begin(), keys_.end(), [&](const std::string& key) {
                      return same_secret(signature(key, text), *given);
                    });
  return good ? read_link(text) : std::nullopt;
}

std::string make_link_key() { return to_base64url(random_bytes(kKeyBytes)); }

}  // namespace surtitle
