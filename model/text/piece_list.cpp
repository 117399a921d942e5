#include "model/text/piece_list.h"

#include <array>
#include <fstream>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "model/text/sentencepiece_loader.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

namespace module = sentencepiece_module;
using std::filesystem::path;

constexpr std::array<std::string_view, 4> kSpecialPieces = {"<s>", "<pad>", "</s>", "<unk>"};
constexpr std::string_view kUnknownPiece = "\u2581\u2047";
constexpr std::size_t kMaxPieces = 1'000'000;  // as in ModelConfig

class PieceListTokenizer final : public Tokenizer {
 public:
  explicit PieceListTokenizer(SentencepieceModel model) : model_(std::move(model)) {
    pieces_.resize(kSpecialPieces.size());
    pieces_[kUnknown] = kUnknownPiece;
  }

  // Returns false if the list already has the piece.
  bool add(std::string piece) {
    if (!piece.empty() && !ids_.emplace(piece, vocabulary_size()).second) return false;
    pieces_.push_back(std::move(piece));
    return true;
  }

  std::vector<int> encode_word(std::string_view word) const override {
    Segments segments{*this, {}, false};
    const bool encoded = functions_.segment(model_.get(), {word.data(), word.size()},
                                            &PieceListTokenizer::receive, &segments);
    if (!encoded || segments.failed) throw std::runtime_error("sentencepiece cannot encode a word");
    return std::move(segments.tokens);
  }
  std::string_view piece(int token) const override {
    if (token < 0 || token >= vocabulary_size()) return {};
    return pieces_[static_cast<std::size_t>(token)];
  }
  int vocabulary_size() const override { return static_cast<int>(pieces_.size()); }

 private:
  struct Segments {
    const PieceListTokenizer& tokenizer;
    std::vector<int> tokens;
    bool failed;
  };
  static void receive(void* context, module::Bytes piece) noexcept {
    auto& segments = *static_cast<Segments*>(context);
    try {
      const auto& ids = segments.tokenizer.ids_;
      const auto found = ids.find(std::string(piece.data, piece.size));
      segments.tokens.push_back(found == ids.end() ? kUnknown : found->second);
    } catch (...) {  // no memory; no exception may cross the module
      segments.failed = true;
    }
  }

  const module::Functions& functions_ = sentencepiece_functions();
  SentencepieceModel model_;
  std::unordered_map<std::string, int> ids_;
  std::vector<std::string> pieces_;
};

}  // namespace

std::shared_ptr<const Tokenizer> load_piece_list(const path& model, const path& pieces) {
  auto tokenizer = std::make_shared<PieceListTokenizer>(open_sentencepiece_model(model));
  std::ifstream in(pieces, std::ios::binary);
  if (!in || std::filesystem::is_directory(pieces))
    throw std::runtime_error(pieces.string() + ": cannot be read");
  std::size_t number = 0;
  for (std::string line; std::getline(in, line); ++number) {
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(pieces.string() + ":" + std::to_string(number + 1) + ": " + what);
    };
    if (number >= kMaxPieces) fail("too many pieces; allowed: " + std::to_string(kMaxPieces));
    if (number < kSpecialPieces.size()) {
      const std::string expected(kSpecialPieces[number]);
      if (line != expected) fail("expected the special token " + expected);
      continue;
    }
    if (!is_valid_utf8(line)) fail("the piece is not UTF-8");
    if (!tokenizer->add(std::move(line))) fail("the piece occurs twice");
  }
  if (number < kSpecialPieces.size())
    throw std::runtime_error(pieces.string() +
                             ": expected a piece on each line, first <s>, <pad>, "
                             "</s> and <unk>");
  return tokenizer;
}

std::string piece_list_text(const std::vector<std::string>& pieces) {
  std::string text;
  const auto add = [&](std::string_view piece) { text.append(piece).push_back('\n'); };
  for (const std::string_view piece : kSpecialPieces) add(piece);
  // A word has no line break, so a piece with one is a token without text.
  for (const std::string& piece : pieces)
    add(piece.find('\n') == std::string::npos && is_valid_utf8(piece) ? piece : "");
  return text;
}

SentencepiecePieces sentencepiece_pieces(std::string_view bytes, const path& file) {
  const module::Functions& functions = sentencepiece_functions();
  const SentencepieceModel model = open_sentencepiece_model(bytes, file);
  SentencepiecePieces found;
  found.end_of_sentence = functions.end_of_sentence(model.get());
  for (int token = 0; token < functions.size(model.get()); ++token) {
    const module::Bytes piece = functions.piece(model.get(), token);
    found.pieces.emplace_back(piece.data, piece.size);
    if (found.pieces.back() == kUnknownPiece && found.unknown < 0) found.unknown = token;
  }
  return found;
}

}  // namespace surtitle
