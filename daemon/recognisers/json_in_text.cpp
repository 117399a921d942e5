#include "daemon/recognisers/json_in_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

bool is_opening(char c) { return c == '{' || c == '['; }
bool is_closing(char c) { return c == '}' || c == ']'; }

// Returns whether JSON may have the character outside of strings. NaN and Infinity are accepted.
bool may_be_json(char c) {
  constexpr std::string_view kSigns = "{}[],:\"+-.0123456789";
  constexpr std::string_view kLetters = "truefalsnlNaIity";
  return is_space(c) || kSigns.find(c) != kSigns.npos || kLetters.find(c) != kLetters.npos;
}

void append_text(char c, std::vector<JsonInText::Piece>& pieces) {
  if (pieces.empty() || pieces.back().is_json) {
    pieces.push_back({});
  }
  pieces.back().bytes += c;
}

}  // namespace

bool ends_prefix(char c) {
  constexpr std::string_view kQuotes = "\"'`(";
  return !is_letter(c) && !is_digit(c) && static_cast<unsigned char>(c) < 0x80U &&
         kQuotes.find(c) == kQuotes.npos;
}

std::size_t find_object(std::string_view line) {
  for (std::size_t open = line.find('{'); open != line.npos; open = line.find('{', open + 1)) {
    const std::size_t next = line.find_first_not_of(" \t", open + 1);
    if (next != line.npos && (line[next] == '"' || line[next] == '}') &&
        (open == 0 || ends_prefix(line[open - 1]))) {
      return open;
    }
  }
  return line.npos;
}

std::vector<JsonInText::Piece> JsonInText::feed(std::string_view bytes) {
  std::vector<Piece> pieces;
  for (const char c : bytes) {
    read(c, pieces);
  }
  return pieces;
}

std::vector<JsonInText::Piece> JsonInText::finish() {
  std::vector<Piece> pieces;
  if (!held_.empty()) {
    end(is_json_, pieces);
  }
  return pieces;
}

void JsonInText::read(char c, std::vector<Piece>& pieces) {
  if (is_json_) {
    return read_in_json(c, pieces);
  }
  if (!held_.empty()) {
    return read_held(c, pieces);
  }
  const bool may_begin = c == '{' ? ends_prefix_ : (c == '[' || c == '"') && begins_word_;
  if (may_begin) {
    held_ += c;
    return;
  }
  begins_word_ = is_space(c);
  ends_prefix_ = ends_prefix(c);
  append_text(c, pieces);
}

// Decides whether JSON begins.
void JsonInText::read_held(char c, std::vector<Piece>& pieces) {
  constexpr std::array<std::string_view, 3> kQuoted{"\"{\\\"", "\"[{\\\"", "[\"{\\\""};
  held_ += c;
  const auto* quoted = std::find_if(kQuoted.begin(), kQuoted.end(), [&](std::string_view begin) {
    return begin.starts_with(held_);
  });
  if (quoted != kQuoted.end()) {
    is_json_ = in_string_ = held_ == *quoted;
    depth_ = is_json_ && is_opening(held_.front()) ? 1 : 0;
  } else if (held_.find('"') < held_.size() - 1) {
    end(/*is_json=*/false, pieces);
  } else if (held_.front() == '{' ? c == '"' || c == '}' : c == '{') {
    is_json_ = true;
    const std::string begin = std::exchange(held_, {});
    for (const char held : begin) {
      if (is_json_) {
        read_in_json(held, pieces);
      }
    }
  } else if (!is_space(c) || held_.size() == kMaxLength) {
    end(/*is_json=*/false, pieces);
  }
}

void JsonInText::read_in_json(char c, std::vector<Piece>& pieces) {
  if (in_string_ ? c == '\n' : !may_be_json(c)) {
    end(/*is_json=*/true, pieces);
    return read(c, pieces);
  }
  held_ += c;
  if (in_string_) {
    in_string_ = escaped_ || c != '"';
    escaped_ = !escaped_ && c == '\\';
  } else if (c == '"') {
    in_string_ = true;
  } else if (is_opening(c)) {
    ++depth_;
  } else if (is_closing(c)) {
    --depth_;
  }
  if (depth_ == 0 && !in_string_) {
    end(/*is_json=*/true, pieces);
  } else if (held_.size() == kMaxLength) {
    end(/*is_json=*/false, pieces);
  }
}

void JsonInText::end(bool is_json, std::vector<Piece>& pieces) {
  begins_word_ = is_json || is_space(held_.back());
  ends_prefix_ = is_json || ends_prefix(held_.back());
  if (is_json) {
    pieces.push_back({std::move(held_), true});
  } else {
    for (const char c : held_) {
      append_text(c, pieces);
    }
  }
  held_.clear();
  is_json_ = false;
  in_string_ = false;
  escaped_ = false;
  depth_ = 0;
}

}  // namespace surtitle
