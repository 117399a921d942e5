// train_tokenizer(), by the sentencepiece module.
#include <fstream>
#include <stdexcept>
#include <utility>

#include "model/text/normalisation_rules.h"
#include "model/text/protobuf_fields.h"
#include "model/text/sentencepiece_loader.h"
#include "model/text/tokenizer.h"
#include "model/util/atomic_file.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

namespace module = sentencepiece_module;
using std::filesystem::path;

// A vocabulary of fewer pieces has only the characters of its text.
constexpr int kRoomForCharacters = 2000;

// Returns the model without the path of its rules, which sentencepiece stores in it.
std::string without_rules_path(std::string_view model) {
  constexpr std::uint64_t kNormaliser = 3;
  constexpr std::uint64_t kRulesPath = 6;  // inside the normaliser
  std::string kept;
  while (const auto field = take_protobuf_field(model)) {
    if (field->number != kNormaliser) {
      kept += field->whole;
      continue;
    }
    std::string normaliser;
    std::string_view rest = field->content;
    while (const auto part = take_protobuf_field(rest)) {
      if (part->number != kRulesPath) normaliser += part->whole;
    }
    kept += static_cast<char>(kNormaliser << 3U | 2U);
    std::size_t length = normaliser.size();
    for (; length >= 0x80; length >>= 7U) kept += static_cast<char>(0x80U | (length & 0x7FU));
    kept += static_cast<char>(length);
    kept += normaliser;
  }
  return kept;
}

// A file that is removed at the end of its scope.
class TemporaryFile {
 public:
  TemporaryFile(path file, const std::string& text) : file_(std::move(file)) {
    std::ofstream stream(file_);
    stream << text;
    stream.close();
    if (!stream) throw std::runtime_error(file_.string() + ": cannot be written");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  const char* name() const { return file_.c_str(); }

 private:
  path file_;
};

void receive_model(void* model, module::Bytes bytes) noexcept {
  static_cast<std::string*>(model)->assign(bytes.data, bytes.size);
}

}  // namespace

void train_tokenizer(std::span<const std::string> lines, int vocabulary_size,
                     const path& output_model) {
  if (lines.empty())
    throw std::runtime_error(output_model.string() +
                             ": there must be at least one line of text to learn from");
  std::vector<module::Bytes> sentences;
  sentences.reserve(lines.size());
  for (const std::string& line : lines) sentences.push_back({line.data(), line.size()});

  const TemporaryFile rules(output_model.string() + ".rules.tmp", normalisation_rules());
  const std::string required =
      vocabulary_size >= kRoomForCharacters ? required_characters() : std::string();
  std::string model;
  const module::Training training = {.sentences = sentences.data(),
                                     .sentence_count = sentences.size(),
                                     .vocabulary_size = vocabulary_size,
                                     .bos = kBeginOfSentence,
                                     .pad = kPadding,
                                     .eos = kEndOfSentence,
                                     .unk = kUnknown,
                                     .normalisation_rules = rules.name(),
                                     .required_characters = required.c_str(),
                                     .receive = receive_model,
                                     .context = &model};
  module::Error error{};
  if (!sentencepiece_functions().train(&training, &error)) {
    throw std::runtime_error(output_model.string() + ": training failed: " + error.text.data());
  }
  AtomicFile output(output_model);
  output.write(without_rules_path(model));
  output.commit();
}

}  // namespace surtitle
