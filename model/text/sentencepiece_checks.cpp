#include "model/text/sentencepiece_checks.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/text/protobuf_fields.h"

namespace surtitle {
namespace {

// Fields of SentencePiece's messages.
constexpr std::uint64_t kTrainerOptions = 2;
constexpr std::uint64_t kNormaliser = 3;
constexpr std::uint64_t kCharacterMap = 2;  // inside the normaliser

// One unit of a double-array trie in Darts-clone's layout.
struct TrieUnit {
  std::uint32_t bits = 0;

  bool is_leaf() const { return bits >> 31U != 0; }
  bool has_leaf() const { return (bits >> 8U & 1U) != 0; }
  std::uint32_t value() const { return bits & 0x7FFFFFFFU; }
  std::uint32_t offset() const { return (bits >> 10U) << ((bits & (1U << 9U)) >> 6U); }
};

std::vector<TrieUnit> units_of(std::string_view bytes) {
  std::vector<TrieUnit> units(bytes.size() / sizeof(TrieUnit));
  std::memcpy(units.data(), bytes.data(), units.size() * sizeof(TrieUnit));
  return units;
}

// The map is a length, a trie of that length, and zero-terminated texts to which the trie's leaves
// point. A search steps from unit i to (i ^ offset) ^ byte, for any byte of the input.
bool is_sound_character_map(std::string_view map) {
  std::uint32_t length = 0;
  if (map.size() < sizeof(length)) return false;
  std::memcpy(&length, map.data(), sizeof(length));
  map.remove_prefix(sizeof(length));
  if (length >= map.size() || length < sizeof(TrieUnit) || map.back() != '\0') return false;
  const std::vector<TrieUnit> units = units_of(map.substr(0, length));
  const std::size_t text_size = map.size() - length;
  for (std::size_t index = 0; index < units.size(); ++index) {
    const bool root = index == 0;  // searches always follow it
    if (units[index].is_leaf() && !root) continue;
    const std::size_t children = index ^ units[index].offset();
    if ((children | 0xFFU) >= units.size()) return false;
    if (units[index].has_leaf() && units[children].value() >= text_size) return false;
  }
  return true;
}

bool is_sound_normaliser(std::string_view normaliser) {
  while (const auto field = take_protobuf_field(normaliser)) {
    const bool map = field->number == kCharacterMap && !field->content.empty();
    if (map && !is_sound_character_map(field->content)) return false;
  }
  return normaliser.empty();
}

}  // namespace

void check_sentencepiece_model(std::string_view model, const std::filesystem::path& file) {
  bool options = false;
  bool normaliser = false;
  while (const auto field = take_protobuf_field(model)) {
    options = options || field->number == kTrainerOptions;
    if (field->number != kNormaliser) continue;
    normaliser = true;
    if (!is_sound_normaliser(field->content)) {
      throw std::runtime_error(file.string() + ": the SentencePiece model's normaliser is damaged");
    }
  }
  if (!model.empty() || !options || !normaliser) {
    throw std::runtime_error(file.string() + ": not a complete SentencePiece model");
  }
}

}  // namespace surtitle
