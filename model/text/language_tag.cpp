#include "model/text/language_tag.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxTag = 35;  // bytes; RFC 5646, 4.4.1
constexpr std::size_t kMaxPart = 8;
constexpr std::size_t kScript = 4;  // letters
constexpr std::size_t kRegion = 2;  // letters

bool all_letters(std::string_view text) { return std::all_of(text.begin(), text.end(), is_letter); }

// Returns the parts between hyphens; operating systems write underscores.
std::vector<std::string> parts_of(std::string_view tag) {
  std::vector<std::string> parts(1);
  for (const char c : tag) {
    if (c == '-' || c == '_') {
      parts.emplace_back();
    } else {
      parts.back() += lower(c);
    }
  }
  return parts;
}

bool is_part(std::string_view part) {
  return !part.empty() && part.size() <= kMaxPart &&
         std::all_of(part.begin(), part.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

// Returns the script of a tag's parts, or "".
std::string script_of(const std::vector<std::string>& parts) {
  return parts.size() > 1 && parts[1].size() == kScript && all_letters(parts[1]) ? parts[1] : "";
}

}  // namespace

std::optional<std::string> canonical_language(std::string_view text) {
  std::vector<std::string> parts = parts_of(text);
  if (text.size() > kMaxTag || parts[0].size() < 2 || !all_letters(parts[0]) ||
      !std::all_of(parts.begin(), parts.end(), is_part)) {
    return std::nullopt;
  }
  std::string tag = parts[0];
  bool extended = false;  // after a single letter, parts have no scripts and regions
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string& part = parts[i];
    extended = extended || part.size() == 1;
    if (!extended && all_letters(part) && part.size() == kScript) {
      part.front() = upper(part.front());
    } else if (!extended && all_letters(part) && part.size() == kRegion) {
      std::transform(part.begin(), part.end(), part.begin(), upper);
    }
    tag += "-" + part;
  }
  return tag;
}

LanguageMatch match_languages(std::string_view offered, std::string_view requested) {
  const std::vector<std::string> one = parts_of(offered);
  const std::vector<std::string> other = parts_of(requested);
  if (one == other) {
    return LanguageMatch::kSame;
  }
  const std::string script = script_of(one);
  const std::string other_script = script_of(other);
  if (one[0] != other[0] || (!script.empty() && !other_script.empty() && script != other_script)) {
    return LanguageMatch::kNone;
  }
  const std::size_t shorter = std::min(one.size(), other.size());
  return std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(shorter), other.begin())
             ? LanguageMatch::kPrefix
             : LanguageMatch::kLanguage;
}

}  // namespace surtitle
