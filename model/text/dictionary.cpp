#include "model/text/dictionary.h"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr std::string_view kContinues = "@@";
constexpr int kSpecialTokens = 4;

class Dictionary final : public Tokenizer {
 public:
  Dictionary() {
    pieces_.resize(kSpecialTokens);
    pieces_[kUnknown] = "\u2047" + std::string(kWordBoundary);
  }

  // Returns false if the dictionary already has the token.
  bool add(std::string_view token) {
    if (!ids_.emplace(token, vocabulary_size()).second) return false;
    const bool continues = token.ends_with(kContinues);
    if (continues) token.remove_suffix(kContinues.size());
    pieces_.push_back(std::string(token) + std::string(continues ? "" : kWordBoundary));
    return true;
  }

  std::vector<int> encode_word(std::string_view word) const override {
    const auto found = ids_.find(std::string(word));
    return {found == ids_.end() ? kUnknown : found->second};
  }
  bool continues_word(std::string_view word) const override { return word.ends_with(kContinues); }
  std::string_view piece(int token) const override {
    if (token < 0 || token >= vocabulary_size()) return {};
    return pieces_[static_cast<std::size_t>(token)];
  }
  int vocabulary_size() const override { return static_cast<int>(pieces_.size()); }

 private:
  std::unordered_map<std::string, int> ids_;
  std::vector<std::string> pieces_;  // in the form of Tokenizer::piece()
};

// Returns the token of a line. Throws std::invalid_argument with what is wrong with the line.
std::string_view token_of(std::string_view line) {
  const auto space = line.rfind(' ');
  if (space == std::string_view::npos || space == 0)
    throw std::invalid_argument("expected TOKEN COUNT");
  const auto count = line.substr(space + 1);
  std::uint64_t number = 0;
  const auto result = std::from_chars(count.data(), count.data() + count.size(), number);
  if (result.ec != std::errc{} || result.ptr != count.data() + count.size())
    throw std::invalid_argument("the count must be a whole number, expected TOKEN COUNT");
  const auto token = line.substr(0, space);
  if (!is_valid_utf8(token)) throw std::invalid_argument("the token is not UTF-8");
  if (split_words(token) != std::vector{token})
    throw std::invalid_argument("the token must not contain white space, expected TOKEN COUNT");
  return token;
}

}  // namespace

std::shared_ptr<const Tokenizer> load_dictionary(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw std::runtime_error(file.string() + ": cannot be read");
  auto dictionary = std::make_shared<Dictionary>();
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + what);
    };
    try {
      if (!dictionary->add(token_of(line))) fail("the token occurs twice");
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }
  return dictionary;
}

}  // namespace surtitle
