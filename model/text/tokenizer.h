// Converts words to token ids and back.
//
// A complete word is encoded by itself, so the tokens of a prefix never change when more words
// arrive. SentencePiece pieces do not cross spaces, so the result equals that of the whole
// sentence. Scripts without spaces are the exception: words of one message are encoded together
// (model/text/word_runs.h), and a division into other messages may give other tokens.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surtitle {

// Special tokens have fixed ids in every model (those of fairseq's dictionaries).
inline constexpr int kBeginOfSentence = 0;
inline constexpr int kPadding = 1;
inline constexpr int kEndOfSentence = 2;
inline constexpr int kUnknown = 3;

// The mark of a word's begin or end in a piece.
inline constexpr std::string_view kWordBoundary = "\u2581";

// The byte of a piece such as "<0xE2>", or nullopt if the piece is text.
std::optional<char> byte_of(std::string_view piece);

// Thread-safety: immutable after construction; share it freely.
class Tokenizer {
 public:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  // Returns the token ids of one complete word. Only the words of a run (model/text/word_runs.h)
  // may have spaces between them. The result is empty if
  // normalisation removes all of its characters. REQUIRES: valid UTF-8.
  virtual std::vector<int> encode_word(std::string_view word) const = 0;

  // Returns whether the text after the next space continues the word, in text whose words were
  // divided beforehand: "haus@@ halt".
  virtual bool continues_word(std::string_view /*word*/) const { return false; }

  // Returns the piece's text, with U+2581 at a word's begin ("▁trans", "lation") or end ("trans",
  // "lation▁"). "<0xE2>" is a lone byte. Special tokens and tokens outside the vocabulary give an
  // empty string, kUnknown gives U+2047 as a word. Valid as long as the tokenizer.
  virtual std::string_view piece(int token) const = 0;

  virtual int vocabulary_size() const = 0;
};

// Returns the token with this piece, or nullopt if there is none. Tests all of them.
std::optional<int> find_piece(const Tokenizer& tokenizer, std::string_view piece);

// Opens a sentencepiece.model. Throws std::runtime_error naming the file.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& file);

// A model's tokenizers; one object serves both sides of a joint vocabulary. The source's tokenizer
// encodes the source. The target's tokenizer returns the pieces of target tokens, and encodes
// references.
struct Tokenizers {
  Tokenizers() = default;
  explicit Tokenizers(const std::shared_ptr<const Tokenizer>& joint)
      : source(joint), target(joint) {}
  Tokenizers(std::shared_ptr<const Tokenizer> of_source, std::shared_ptr<const Tokenizer> of_target)
      : source(std::move(of_source)), target(std::move(of_target)) {}

  std::shared_ptr<const Tokenizer> source;  // both nullptr: a model of token ids only
  std::shared_ptr<const Tokenizer> target;
};

// Files of a model's tokenizers, by their names beside model.yaml.
struct TokenizerFiles {
  // kPieceList: SentencePiece models with lists of pieces (model/text/piece_list.h).
  enum class Type { kNone, kSentencepiece, kDictionary, kPieceList };
  Type type = Type::kSentencepiece;
  std::string source = "sentencepiece.model";  // equal to `target` if kSentencepiece
  std::string target = "sentencepiece.model";
  std::string source_pieces = {};  // only kPieceList has these
  std::string target_pieces = {};

  bool operator==(const TokenizerFiles&) const = default;
};

// Opens the tokenizers in `folder`. Throws std::runtime_error naming the file.
Tokenizers load_tokenizers(const std::filesystem::path& folder, const TokenizerFiles& files);

// Learns a unigram vocabulary and writes it as `output_model`, by rename. `lines` are valid UTF-8,
// one sentence each, of both languages for a joint vocabulary. The same text gives the same model
// everywhere.
//
// Text keeps its case and its punctuation; normalisation_rules() lists the characters that are made
// equal. A vocabulary of at least 2,000 pieces has every character of required_characters(). No
// vocabulary has byte pieces: a character that it lacks encodes to nothing, and no token can write
// part of a character. Digits are tokens of their own, so that a model copies numbers digit by
// digit.
//
// Throws std::runtime_error naming the file, or the size that the text can support. Defined in
// model/training/tokenizer_training.cpp (link surtitle_training).
void train_tokenizer(std::span<const std::string> lines, int vocabulary_size,
                     const std::filesystem::path& output_model);

// Turns the tokens of one sentence into text deltas whose concatenation is the final text. One
// space separates words, and the text neither begins nor ends with one. A delta never ends inside a
// UTF-8 character: byte pieces are held until complete. Control characters become spaces.
// Thread-safety: none; one owner.
class Detokenizer {
 public:
  explicit Detokenizer(std::shared_ptr<const Tokenizer> tokenizer);

  // Returns the text that `token` adds; may be empty.
  std::string write(int token);

  // Returns the text still held at the sentence's end: U+FFFD if held bytes form no complete
  // character, otherwise empty. Resets the detokenizer for another sentence.
  std::string finish();

 private:
  void append(std::string_view character, std::string& delta);
  void release_held(std::string& delta);
  void give_up_held(std::string& delta);

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string held_bytes_;  // of a character not yet complete
  bool at_start_ = true;    // no text so far
  bool space_due_ = false;  // before the next character
};

struct TokenizedText {
  std::vector<int> tokens;
  std::vector<int> word_tokens;  // tokens of each word; may be 0
};

// Returns the tokens of all words of a text. REQUIRES: valid UTF-8.
TokenizedText tokenize(const Tokenizer& tokenizer, std::string_view text);

}  // namespace surtitle
