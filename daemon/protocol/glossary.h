// A glossary as people write it: terms and their translations.
//
// An entry is a term of one or more words and its translation. A term that is its own translation
// is kept as it is. A translation of asterisks alone, such as "***", masks the term, also in the
// source. A word of a term without capitals matches any case, and a word with a "*" at its end also
// matches with an inflectional ending, such as "-s".
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle::protocol {

struct GlossaryEntry {
  std::string source;
  std::string target;

  bool is_mask() const { return target.find_first_not_of('*') == std::string::npos; }

  bool operator==(const GlossaryEntry&) const = default;
};

using Glossary = std::vector<GlossaryEntry>;

inline constexpr std::size_t kMaxGlossaryEntries = 500;
inline constexpr std::size_t kMaxTermBytes = 200;
inline constexpr std::size_t kMaxTermWords = 8;

// Returns what is wrong with the entry, "must ...", or an empty text. REQUIRES: valid UTF-8.
std::string problem_of(const GlossaryEntry& entry);

// Parses one line: "term = translation", two columns with a tab, or two of CSV with a comma or a
// semicolon. Further columns are ignored. A term alone is kept as it is. Returns an entry without a
// source for an empty line and for a comment, which begins with '#'. REQUIRES: valid UTF-8.
GlossaryEntry parse_glossary_line(std::string_view line);

// Parses the text of a file, and leaves out a first line that has the names of the columns. Throws
// std::runtime_error, "NAME:LINE: ...".
Glossary parse_glossary(std::string_view text, const std::string& name);

// Returns the terms that a text for people names: its parts "term = translation" or "term ->
// translation", between line breaks and semicolons. Other parts are ignored. REQUIRES: valid UTF-8.
Glossary find_terms(std::string_view text);

// Reads a file. Throws std::runtime_error, "FILE: ..." or "FILE:LINE: ...".
Glossary read_glossary(const std::filesystem::path& file);

// Returns the entries of both, those of `preferred` last. Of several entries of a term, only the
// last one is kept.
Glossary merge(const Glossary& glossary, const Glossary& preferred);

}  // namespace surtitle::protocol
