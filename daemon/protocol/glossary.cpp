#include "daemon/protocol/glossary.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

#include "daemon/base/text.h"
#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle::protocol {
namespace {

constexpr std::string_view kByteOrderMark = "\uFEFF";
constexpr std::size_t kMaxFile = 1 << 20;

// Returns the text with one space between its words, and none at its ends.
std::string trimmed(std::string_view text) { return join_words(split_words(text)); }

// Returns the term without its signs for endings.
std::string without_signs(const std::string& term) {
  std::string plain;
  for (std::string_view word : split_words(term)) {
    const bool marked = word.ends_with('*') && word.find_first_not_of('*') != word.npos;
    word.remove_suffix(marked ? 1 : 0);
    plain += (plain.empty() ? "" : " ") + std::string(word);
  }
  return plain;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

// Returns the first two columns of a line of CSV. A column in quotes may contain the separator.
GlossaryEntry parse_columns(std::string_view line, char separator) {
  std::array<std::string, 2> columns;
  std::size_t at = 0;
  for (std::string& column : columns) {
    std::size_t begin = line.find_first_not_of(' ', at);
    begin = std::min(begin, line.size());
    if (begin < line.size() && line[begin] == '"') {
      for (at = begin + 1; at < line.size(); ++at) {
        if (line[at] != '"') {
          column += line[at];
        } else if (line.substr(at + 1).starts_with('"')) {
          column += line[at++];
        } else {
          break;
        }
      }
      at = std::min(line.find(separator, std::min(at, line.size())), line.size());
    } else {
      at = std::min(line.find(separator, begin), line.size());
      column = line.substr(begin, at - begin);
    }
    at = std::min(at + 1, line.size());
  }
  return {trimmed(columns[0]), trimmed(columns[1])};
}

std::optional<char> separator_of(std::string_view line) {
  for (const char separator : {'\t', ';', ','}) {
    if (line.find(separator) != line.npos) {
      return separator;
    }
  }
  return std::nullopt;
}

// "source,target" and "de;en"
bool is_heading(const GlossaryEntry& entry) {
  const auto is_column = [](std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    constexpr std::array<std::string_view, 4> kNames{"source", "target", "term", "translation"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
  };
  return is_column(entry.source) && is_column(entry.target);
}

}  // namespace

std::string problem_of(const GlossaryEntry& entry) {
  const std::size_t words = split_words(entry.source).size();
  const auto has_control = [](const std::string& text) {
    return std::any_of(text.begin(), text.end(), is_control);
  };
  if (words == 0 || words > kMaxTermWords) {
    return "must have a term of 1 to " + std::to_string(kMaxTermWords) + " words, not " +
           in_quotes(entry.source);
  }
  if (split_words(entry.target).empty()) {
    return "must have a translation of " + in_quotes(entry.source);
  }
  if (entry.source.size() > kMaxTermBytes || entry.target.size() > kMaxTermBytes) {
    return "must have at most " + std::to_string(kMaxTermBytes) + " bytes on each side, " +
           in_quotes(entry.source) + " has more";
  }
  if (has_control(entry.source) || has_control(entry.target)) {
    return "must have no control characters, " + in_quotes(entry.source) + " has some";
  }
  if (entry.source.find_first_not_of("* ") == std::string::npos) {
    return "must have a term with other characters than *, not " + in_quotes(entry.source);
  }
  if (entry.is_mask() && words > 1) {
    return "must mask one word, not " + in_quotes(entry.source);
  }
  return {};
}

GlossaryEntry parse_glossary_line(std::string_view line) {
  const std::string text = trimmed(line);
  if (text.empty() || text.starts_with('#')) {
    return {};
  }
  const bool quoted = text.starts_with('"');
  const bool tabbed = line.find('\t') != line.npos;
  if (const std::size_t equals = text.find('='); equals != text.npos && !quoted && !tabbed) {
    const std::size_t spaced = text.find(" = ");
    const std::size_t sign = spaced == text.npos ? equals : spaced + 1;
    return {trimmed(std::string_view(text).substr(0, sign)),
            trimmed(std::string_view(text).substr(sign + 1))};
  }
  if (const std::optional<char> separator = separator_of(line)) {
    return parse_columns(line, *separator);
  }
  const std::string alone = quoted ? parse_columns(line, '\n').source : text;
  return {alone, without_signs(alone)};
}

Glossary parse_glossary(std::string_view text, const std::string& name) {
  Glossary glossary;
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto fail = [&](const std::string& why) {
      throw std::runtime_error(name + ":" + std::to_string(number) + ": " + why);
    };
    if (!is_valid_utf8(line)) {
      fail("the line is not UTF-8");
    }
    GlossaryEntry entry = parse_glossary_line(line);
    const bool none = entry.source.empty() && entry.target.empty();
    if (none || (glossary.empty() && is_heading(entry))) {
      continue;
    }
    if (const std::string problem = problem_of(entry); !problem.empty()) {
      fail("the entry " + problem);
    }
    if (glossary.size() == kMaxGlossaryEntries) {
      fail("a glossary must have at most " + std::to_string(kMaxGlossaryEntries) + " entries");
    }
    glossary.push_back(std::move(entry));
  }
  return glossary;
}

Glossary find_terms(std::string_view text) {
  Glossary glossary;
  while (!text.empty() && glossary.size() < kMaxGlossaryEntries) {
    const std::size_t end = std::min(text.find_first_of("\n;"), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (const std::string_view sign : {"->", "\u2192", "="}) {
      if (const std::size_t at = part.find(sign); at != part.npos) {
        GlossaryEntry entry{trimmed(part.substr(0, at)), trimmed(part.substr(at + sign.size()))};
        if (problem_of(entry).empty()) {
          glossary.push_back(std::move(entry));
        }
        break;
      }
    }
  }
  return glossary;
}

Glossary read_glossary(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  if (in && !std::filesystem::is_directory(file)) {
    text.resize(kMaxFile + 1);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof() || in.bad()) {
    throw std::runtime_error(file.string() + ": " +
                             (text.size() > kMaxFile ? "the glossary must have at most 1 MiB"
                                                     : "the glossary cannot be read"));
  }
  return parse_glossary(text, file.string());
}

Glossary merge(const Glossary& glossary, const Glossary& preferred) {
  std::vector<const GlossaryEntry*> all;
  for (const Glossary* part : {&glossary, &preferred}) {
    for (const GlossaryEntry& entry : *part) {
      all.push_back(&entry);
    }
  }
  std::set<std::string_view> known;  // terms of later entries
  Glossary merged;
  for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {
    if (known.insert((*entry)->source).second) {
      merged.push_back(**entry);
    }
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

}  // namespace surtitle::protocol
