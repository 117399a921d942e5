// train_tokenizer(), by way of the sentencepiece module.
#include <fstream>
#include <stdexcept>

#include "model/sentencepiece_loader.h"
#include "model/tokenizer.h"
#include "model/utf8.h"

namespace surtitle {
namespace {

namespace module = sentencepiece_module;
using std::filesystem::path;

// Latin letters that a following combining mark turns into one letter (Unicode's NFC).
struct Composition {
  unsigned mark;
  std::string_view bases;
  std::u32string_view composed;  // in the order of `bases`
};
constexpr Composition kCompositions[] = {
    {0x300, "AEIOUaeiou", U"ÀÈÌÒÙàèìòù"},
    {0x301, "ACEILNORSUYZaceilnorsuyz", U"ÁĆÉÍĹŃÓŔŚÚÝŹáćéíĺńóŕśúýź"},
    {0x302, "ACEGHIJOSUWYaceghijosuwy", U"ÂĈÊĜĤÎĴÔŜÛŴŶâĉêĝĥîĵôŝûŵŷ"},
    {0x303, "AINOUainou", U"ÃĨÑÕŨãĩñõũ"},
    {0x304, "AEIOUaeiou", U"ĀĒĪŌŪāēīōū"},
    {0x306, "AEGIOUaegiou", U"ĂĔĞĬŎŬăĕğĭŏŭ"},
    {0x307, "CEGIZcegz", U"ĊĖĠİŻċėġż"},
    {0x308, "AEIOUYaeiouy", U"ÄËÏÖÜŸäëïöüÿ"},
    {0x30A, "AUau", U"ÅŮåů"},
    {0x30B, "OUou", U"ŐŰőű"},
    {0x30C, "CDELNRSTZcdelnrstz", U"ČĎĚĽŇŘŠŤŽčďěľňřšťž"},
    {0x327, "CGKLNRSTcgklnrst", U"ÇĢĶĻŅŖŞŢçģķļņŗşţ"},
    {0x328, "AEIUaeiu", U"ĄĘĮŲąęįų"},
};

constexpr std::string_view kLigatures[] = {"ff", "fi", "fl", "ffi", "ffl"};  // U+FB00 and on

// Soft hyphen, zero-width space, directional marks, word joiner, byte order mark. The joiners
// U+200C and U+200D stay: emoji need them.
constexpr unsigned kInvisible[] = {0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF};

// The rules as sentencepiece reads them: hexadecimal code points, a tab, those that take their
// place. Nothing else is touched: NFKC would turn an ellipsis into three dots and an acute accent
// into a space.
void write_rules(const path& file) {
  std::ofstream rules(file);
  rules << std::hex << std::uppercase;
  for (const Composition& row : kCompositions) {
    for (std::size_t index = 0; index < row.bases.size(); ++index) {
      rules << static_cast<unsigned>(row.bases[index]) << ' ' << row.mark << '\t'
            << static_cast<std::uint32_t>(row.composed[index]) << '\n';
    }
  }
  unsigned ligature = 0xFB00;
  for (const std::string_view letters : kLigatures) {
    rules << ligature++ << '\t';
    for (const char letter : letters) rules << static_cast<unsigned>(letter) << ' ';
    rules << '\n';
  }
  for (const unsigned character : kInvisible) rules << character << "\t\n";
  for (char32_t character = 0x9; character <= 0x3000; ++character) {
    if (character != ' ' && is_white_space(character)) {
      rules << static_cast<std::uint32_t>(character) << "\t20\n";
    }
  }
  rules.close();
  if (!rules) throw std::runtime_error(file.string() + ": cannot be written");
}

std::vector<std::string> read_lines(std::span<const path> texts) {
  std::vector<std::string> lines;
  for (const path& text : texts) {
    std::ifstream stream(text);
    if (!stream) throw std::runtime_error(text.string() + ": cannot be read");
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      if (!is_valid_utf8(line)) {
        throw std::runtime_error(text.string() + ":" + std::to_string(number) + ": not UTF-8");
      }
      if (!line.empty()) lines.push_back(line);
    }
  }
  return lines;
}

// Removes a file at the end of its scope.
class Temporary {
 public:
  explicit Temporary(path file) : file_(std::move(file)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  const path& file() const { return file_; }

 private:
  path file_;
};

path with_suffix(path file, const char* suffix) { return file += suffix; }

}  // namespace

void train_tokenizer(std::span<const path> texts, int vocabulary_size, const path& output_model) {
  const std::vector<std::string> lines = read_lines(texts);
  if (lines.empty()) throw std::runtime_error(output_model.string() + ": no text to learn from");
  std::vector<module::Bytes> sentences;
  sentences.reserve(lines.size());
  for (const std::string& line : lines) sentences.push_back({line.data(), line.size()});

  const Temporary rules(with_suffix(output_model, ".rules.tmp"));
  const Temporary model(with_suffix(output_model, ".tmp"));
  write_rules(rules.file());
  const module::Training training = {.sentences = sentences.data(),
                                     .sentence_count = sentences.size(),
                                     .vocabulary_size = vocabulary_size,
                                     .bos = kBeginOfSentence,
                                     .pad = kPadding,
                                     .eos = kEndOfSentence,
                                     .unk = kUnknown,
                                     .normalisation_rules = rules.file().c_str(),
                                     .output = model.file().c_str()};
  module::Error error{};
  if (!sentencepiece_functions().train(&training, &error)) {
    throw std::runtime_error(output_model.string() + ": training failed: " + error.text);
  }
  std::filesystem::rename(model.file(), output_model);
}

}  // namespace surtitle
