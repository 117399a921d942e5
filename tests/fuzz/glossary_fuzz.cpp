// Fuzz target of the files of glossaries, and of their terms in a text: the first line of the input
// is the text.
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/protocol/glossary.h"
#include "daemon/translation/sentence_terms.h"
#include "model/text/words.h"
#include "model/util/utf8.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  const std::string_view input = fuzz::text_of(data, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string text(input.substr(0, end));
  protocol::Glossary glossary;
  try {
    glossary = protocol::parse_glossary(input.substr(std::min(end + 1, input.size())), "file");
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
    return 0;
  }
  for (const protocol::GlossaryEntry& entry : glossary) {
    fuzz::require(protocol::problem_of(entry).empty(), "a parsed entry has a problem");
  }
  if (!is_valid_utf8(text)) {
    return 0;
  }
  protocol::find_terms(text);
  SentenceTerms terms({make_terms(glossary, "de"), {"X7", "X4"}, size % 2 == 0, size % 3 == 0});
  if (terms.empty()) {
    return 0;
  }
  std::size_t words = 0;
  std::size_t decided = 0;
  std::string source;
  for (const std::string_view word : split_words(text)) {
    ++words;
    decided += terms.add(word).size();
    source += " " + std::string(word);
  }
  decided += terms.end().size();
  fuzz::require(decided == words, "not every word is decided");
  std::string target;
  for (const std::string_view piece : {" an", " X", "7", " X4", "s"}) {
    target += terms.write(piece);
  }
  target += terms.write(source) + terms.finish();
  fuzz::require(is_valid_utf8(target), "the translation is not UTF-8");
  fuzz::require(terms.written() <= terms.found(), "more terms are written than found");
  return 0;
}
