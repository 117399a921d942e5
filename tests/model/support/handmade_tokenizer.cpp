#include "tests/model/support/handmade_tokenizer.h"

#include <cstdint>
#include <cstring>

namespace surtitle {
namespace {

// Fields of SentencePiece's messages, and types of its pieces.
constexpr int kPieces = 1;
constexpr int kTrainer = 2;
constexpr int kNormaliser = 3;
constexpr int kNormal = 1;
constexpr int kUnknownPiece = 2;
constexpr int kControl = 3;

void add_number(std::string& message, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) message += static_cast<char>(0x80U | (number & 0x7FU));
  message += static_cast<char>(number);
}

void add_number_field(std::string& message, int field, std::uint64_t number) {
  add_number(message, static_cast<std::uint64_t>(field) << 3U);
  add_number(message, number);
}

void add_text_field(std::string& message, int field, const std::string& text) {
  add_number(message, static_cast<std::uint64_t>(field) << 3U | 2U);
  add_number(message, text.size());
  message += text;
}

void add_piece(std::string& model, const std::string& text, int kind, float score) {
  std::string piece;
  add_text_field(piece, 1, text);
  piece += static_cast<char>(2U << 3U | 5U);
  char bytes[sizeof(score)];
  std::memcpy(bytes, &score, sizeof(score));
  piece.append(bytes, sizeof(bytes));
  add_number_field(piece, 3, static_cast<std::uint64_t>(kind));
  add_text_field(model, kPieces, piece);
}

}  // namespace

std::string handmade_tokenizer(int pieces) {
  const std::string word_begin = "\xE2\x96\x81";
  std::string model;
  add_piece(model, "<s>", kControl, 0);
  add_piece(model, "<pad>", kControl, 0);
  add_piece(model, "</s>", kControl, 0);
  add_piece(model, "<unk>", kUnknownPiece, 0);
  add_piece(model, word_begin, kNormal, -3);
  for (char letter = 'a'; letter <= 'z'; ++letter)
    add_piece(model, std::string(1, letter), kNormal, -4);
  for (int i = 31; i < pieces; ++i)
    add_piece(model, word_begin + static_cast<char>('a' + i - 31), kNormal, -2);

  std::string trainer;
  add_number_field(trainer, 3, 1);  // unigram
  add_number_field(trainer, 4, static_cast<std::uint64_t>(pieces));
  int special = 0;
  for (const int field : {41, 43, 42, 40})  // begin, padding, end, unknown
    add_number_field(trainer, field, static_cast<std::uint64_t>(special++));
  add_text_field(model, kTrainer, trainer);
  std::string normaliser;
  add_text_field(normaliser, 1, "identity");
  add_text_field(model, kNormaliser, normaliser);
  return model;
}

}  // namespace surtitle
