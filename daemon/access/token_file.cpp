#include "daemon/access/token_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "daemon/base/crypto.h"
#include "daemon/base/private_file.h"
#include "daemon/base/text.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {
namespace {

constexpr std::string_view kTokenBegin = "st.";
constexpr std::string_view kHash = "hmac-sha256:";
constexpr std::string_view kChannels = "channels=";
constexpr std::string_view kExpires = "expires=";
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kSecretBytes = 32;

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> fields;
  for (std::string field; stream >> field;) {
    fields.push_back(field);
  }
  return fields;
}

// Parses "hmac-sha256:SALT:DIGEST" into the salt and the digest.
std::pair<std::string, std::string> read_proof(std::string_view text) {
  if (text.starts_with(kHash)) {
    text.remove_prefix(kHash.size());
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto salt = from_base64url(text.substr(0, colon));
    const auto digest = from_base64url(text.substr(std::min(colon + 1, text.size())));
    if (salt && digest && salt->size() == kSaltBytes && digest->size() == kDigestBytes) {
      return {*salt, *digest};
    }
  }
  throw std::invalid_argument(
      "the third field must be hmac-sha256:SALT:DIGEST as 'surtitle token' writes it");
}

void read_option(const std::string& text, Grant& grant) {
  if (text.starts_with(kChannels) && is_channel_pattern(text.substr(kChannels.size()))) {
    grant.channels = text.substr(kChannels.size());
  } else if (text.starts_with(kExpires) && parse_time(text.substr(kExpires.size()))) {
    grant.expires = parse_time(text.substr(kExpires.size()));
  } else {
    throw std::invalid_argument(in_quotes(text) +
                                " must be channels=NAME,... (* matches any characters) or "
                                "expires=2026-12-31T23:59:59Z");
  }
}

}  // namespace

TokenFile TokenFile::read(const std::filesystem::path& file) {
  require_file_or_folder(file);
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    throw std::runtime_error(file.string() + ": the file cannot be read");
  }
  TokenFile tokens;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') {
      continue;
    }
    try {
      Token token = tokens.read_line(line);
      tokens.tokens_.emplace(token.grant.name, std::move(token));
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (in.bad()) {
    throw std::runtime_error(file.string() + ": the file cannot be read to its end");
  }
  return tokens;
}

TokenFile::Token TokenFile::read_line(const std::string& line) const {
  constexpr std::size_t kFields = 3;
  const std::vector<std::string> fields = fields_of(line);
  if (fields.size() < kFields) {
    throw std::invalid_argument("a line must be NAME ROLES hmac-sha256:SALT:DIGEST");
  }
  Token token;
  token.grant.name = fields[0];
  if (!is_token_name(fields[0])) {
    throw std::invalid_argument("the name " + in_quotes(fields[0]) +
                                " must have 1 to 64 characters of A-Z a-z 0-9 _ -");
  }
  if (tokens_.contains(fields[0])) {
    throw std::invalid_argument("the name " + in_quotes(fields[0]) + " is given twice");
  }
  try {
    token.grant.roles = Roles::parse(fields[1]);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("the roles " + in_quotes(fields[1]) + " " + error.what());
  }
  std::tie(token.salt, token.digest) = read_proof(fields[2]);
  for (std::size_t i = kFields; i < fields.size(); ++i) {
    read_option(fields[i], token.grant);
  }
  return token;
}

std::optional<Grant> TokenFile::find(std::string_view token) const {
  if (!token.starts_with(kTokenBegin)) {
    return std::nullopt;
  }
  const std::string_view rest = token.substr(kTokenBegin.size());
  const auto known = tokens_.find(rest.substr(0, rest.find('.')));
  if (known == tokens_.end() ||
      !same_secret(hmac_sha256(known->second.salt, token), known->second.digest)) {
    return std::nullopt;
  }
  return known->second.grant;
}

NewToken make_token(const Grant& grant) {
  std::string token(kTokenBegin);
  token += grant.name + "." + to_base64url(random_bytes(kSecretBytes));
  const std::string salt = random_bytes(kSaltBytes);
  std::string line = grant.name + " " + grant.roles.text() + " " + std::string(kHash) +
                     to_base64url(salt) + ":" + to_base64url(hmac_sha256(salt, token));
  if (!grant.every_channel()) {
    line.append(" ").append(kChannels).append(grant.channels);
  }
  if (grant.expires) {
    line.append(" ").append(kExpires).append(to_text(*grant.expires));
  }
  return {token, line};
}

bool is_token_name(std::string_view name) {
  return protocol::is_channel_name(name) && name.find('.') == std::string_view::npos;
}

}  // namespace surtitle
