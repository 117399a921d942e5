#include "daemon/http/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "model/text/ascii.h"
#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr std::string_view kHtmlSpaces = " \t\r\n\f";
constexpr std::size_t kMaxEntity = 12;  // bytes, from & to ;
constexpr char32_t kFirstOfLatin1 = 0xA0;
// The entities of U+00A0 to U+00FF, in this order.
constexpr std::array<std::string_view, 96> kLatin1{
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
constexpr std::array<std::pair<std::string_view, char32_t>, 16> kOtherEntities{{{"amp", '&'},
                                                                                {"lt", '<'},
                                                                                {"gt", '>'},
                                                                                {"quot", '"'},
                                                                                {"apos", '\''},
                                                                                {"ndash", 0x2013},
                                                                                {"mdash", 0x2014},
                                                                                {"lsquo", 0x2018},
                                                                                {"rsquo", 0x2019},
                                                                                {"sbquo", 0x201A},
                                                                                {"ldquo", 0x201C},
                                                                                {"rdquo", 0x201D},
                                                                                {"bdquo", 0x201E},
                                                                                {"bull", 0x2022},
                                                                                {"hellip", 0x2026},
                                                                                {"euro", 0x20AC}}};

// Returns the character of an entity's name ("auml", "#228", "#xE4"), or nullopt.
std::optional<char32_t> entity(std::string_view name) {
  if (name.starts_with('#')) {
    const bool hexadecimal = name.starts_with("#x") || name.starts_with("#X");
    name.remove_prefix(hexadecimal ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
    const bool is_character = code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    return error == std::errc() && end == name.data() + name.size() && is_character
               ? std::optional<char32_t>(code)
               : std::nullopt;
  }
  const auto latin = std::find(kLatin1.begin(), kLatin1.end(), name);
  if (latin != kLatin1.end()) {
    return kFirstOfLatin1 + static_cast<char32_t>(latin - kLatin1.begin());
  }
  const auto other = std::find_if(kOtherEntities.begin(), kOtherEntities.end(),
                                  [&](const auto& known) { return known.first == name; });
  return other == kOtherEntities.end() ? std::nullopt : std::optional(other->second);
}

// Decodes entities, and makes each stretch of white space one space, or leaves it if it is `kept`.
std::string decoded(std::string_view raw, bool kept) {
  std::string text;
  while (!raw.empty()) {
    const std::size_t end =
        raw.starts_with('&') ? raw.substr(0, kMaxEntity).find(';') : std::string_view::npos;
    const auto character =
        end == std::string_view::npos ? std::nullopt : entity(raw.substr(1, end - 1));
    if (character) {
      append_utf8(*character, text);
      raw.remove_prefix(end + 1);
    } else if (!kept && kHtmlSpaces.find(raw.front()) != std::string_view::npos) {
      text += ' ';
      raw.remove_prefix(std::min(raw.find_first_not_of(kHtmlSpaces), raw.size()));
    } else {
      text += raw.front();
      raw.remove_prefix(1);
    }
  }
  return text;
}

struct Tag {
  std::string_view markup;
  std::string name;  // lower case; empty for comments and declarations
  bool begins = false;
  bool ends = false;
  bool stays = false;  // its content is not translated
};

bool has_no_content(std::string_view name) {
  constexpr std::array<std::string_view, 13> kNames{"area",   "base",  "br",    "col",  "embed",
                                                    "hr",     "img",   "input", "link", "meta",
                                                    "source", "track", "wbr"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_no_text(std::string_view name) {
  return name == "script" || name == "style" || name == "code";
}

// Returns whether an attribute exempts its element from translation.
bool exempts(const std::string& name, std::string_view value) {
  const std::string lowered = lower(value);
  if (name == "class") {
    const std::vector<std::string_view> classes = split_words(lowered);
    return std::find(classes.begin(), classes.end(), "notranslate") != classes.end();
  }
  return name == "translate" && lowered == "no";
}

// Reads the attributes up to and with '>'. Sets `tag.stays`; returns the bytes, or npos if the tag
// does not end.
std::size_t read_attributes(std::string_view rest, std::size_t at, Tag& tag) {
  while (true) {
    at = rest.find_first_not_of(" \t\r\n\f/", at);
    if (at == std::string_view::npos || rest[at] == '>') {
      return at == std::string_view::npos ? at : at + 1;
    }
    const std::size_t name_end = std::min(rest.find_first_of(" \t\r\n\f/>=", at + 1), rest.size());
    const std::string name = lower(rest.substr(at, name_end - at));
    at = rest.find_first_not_of(kHtmlSpaces, name_end);
    if (at == std::string_view::npos || rest[at] != '=') {
      continue;
    }
    at = rest.find_first_not_of(kHtmlSpaces, at + 1);
    if (at == std::string_view::npos) {
      return at;
    }
    const bool quoted = rest[at] == '"' || rest[at] == '\'';
    const std::size_t end =
        quoted ? rest.find(rest[at], at + 1) : rest.find_first_of(" \t\r\n\f>", at);
    if (end == std::string_view::npos) {
      return end;
    }
    const std::size_t begin = at + (quoted ? 1 : 0);
    tag.stays = tag.stays || exempts(name, rest.substr(begin, end - begin));
    at = end + (quoted ? 1 : 0);
  }
}

// Returns the tag, comment or declaration at the front of `rest`, or nullopt if it is text. One
// that does not end is the whole rest.
std::optional<Tag> tag_at(std::string_view rest) {
  Tag tag;
  std::size_t size = std::string_view::npos;
  if (rest.starts_with("<!--")) {
    const std::size_t end = rest.find("-->", 4);
    size = end == std::string_view::npos ? end : end + 3;
  } else if (rest.starts_with("<!") || rest.starts_with("<?")) {
    const std::size_t end = rest.find('>');
    size = end == std::string_view::npos ? end : end + 1;
  } else {
    tag.ends = rest.starts_with("</");
    tag.begins = !tag.ends;
    const std::size_t begin = tag.ends ? 2 : 1;
    if (rest.size() <= begin || !is_letter(rest[begin])) {
      return std::nullopt;
    }
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n\f/>", begin), rest.size());
    tag.name = lower(rest.substr(begin, end - begin));
    size = read_attributes(rest, end, tag);
    tag.stays = tag.begins && (tag.stays || is_no_text(tag.name)) && !has_no_content(tag.name);
  }
  tag.markup = rest.substr(0, size);
  return tag;
}

// Returns the bytes of an element whose content stays, up to its end tag or the end of the text.
std::size_t element_size(std::string_view rest, const Tag& first) {
  std::size_t at = first.markup.size();
  int depth = 1;
  while (depth > 0 && (at = rest.find('<', at)) != std::string_view::npos) {
    const std::optional<Tag> tag = tag_at(rest.substr(at));
    if (tag && tag->name == first.name) {
      depth += tag->begins ? 1 : -1;
    }
    at += tag ? tag->markup.size() : 1;
  }
  return std::min(at, rest.size());
}

// `keeps_spaces`: the text is of <pre> or <textarea>.
void add_text(std::string_view raw, bool keeps_spaces, std::vector<HtmlPiece>& pieces) {
  const std::size_t begin = std::min(raw.find_first_not_of(kHtmlSpaces), raw.size());
  const std::size_t end = std::max(raw.find_last_not_of(kHtmlSpaces) + 1, begin);
  const std::string_view text = raw.substr(begin, end - begin);
  pieces.push_back({raw.substr(0, begin)});
  if (!text.empty()) {
    pieces.push_back({text, decoded(text, keeps_spaces)});
    pieces.push_back({raw.substr(end)});
  }
}

}  // namespace

std::vector<HtmlPiece> split_html(std::string_view html) {
  std::vector<HtmlPiece> pieces;
  std::size_t text_begin = 0;
  std::size_t at = 0;
  int preformatted = 0;  // open elements whose white space counts
  while ((at = html.find('<', at)) != std::string_view::npos) {
    const std::string_view rest = html.substr(at);
    const std::optional<Tag> tag = tag_at(rest);
    if (!tag) {
      ++at;
      continue;
    }
    add_text(html.substr(text_begin, at - text_begin), preformatted > 0, pieces);
    if (tag->name == "pre" || tag->name == "textarea") {
      preformatted = std::max(preformatted + (tag->begins && !tag->stays) - tag->ends, 0);
    }
    const std::size_t size = tag->stays ? element_size(rest, *tag) : tag->markup.size();
    pieces.push_back({rest.substr(0, size)});
    at += size;
    text_begin = at;
  }
  add_text(html.substr(text_begin), preformatted > 0, pieces);
  return pieces;
}

}  // namespace surtitle
