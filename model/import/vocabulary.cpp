#include "model/import/vocabulary.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <stdexcept>

#include "model/import/readers.h"
#include "model/package/safetensors_header.h"
#include "model/text/piece_list.h"
#include "model/util/yaml_map.h"

namespace surtitle {
namespace {

constexpr std::int64_t kMaxPieces = 1'000'000;  // as in ModelConfig
constexpr std::size_t kSpecialTokens = 4;

using Ids = std::vector<std::pair<std::string, std::int64_t>>;

[[noreturn]] void fail(const std::string& label, const std::string& what) {
  throw std::runtime_error(printable(label) + ": " + what);
}

ImportedVocabulary from_sentencepiece(const std::string& bytes, const std::string& label) {
  SentencepiecePieces found = sentencepiece_pieces(bytes, label);
  if (found.unknown < 0 || found.end_of_sentence < 0)
    fail(label, "has no end of sentence or no unknown token");
  return {std::move(found.pieces), found.end_of_sentence, found.unknown, std::nullopt};
}

Ids ids_of_yaml(const std::string& text, const std::string& label) {
  const YAML::Node map = parse_yaml(text, label);
  if (!map.IsMap()) fail(label, "expected a map of pieces to ids");
  Ids ids;
  for (const auto& entry : map) {
    std::int64_t id = -1;
    if (!entry.first.IsScalar() || !YAML::convert<std::int64_t>::decode(entry.second, id))
      fail_at(label, entry.second, "expected a piece and its id");
    ids.emplace_back(entry.first.Scalar(), id);
  }
  return ids;
}

Ids ids_of_json(const std::string& text, const std::string& label) {
  boost::system::error_code error;
  const boost::json::value document = boost::json::parse(text, error);
  if (error || !document.is_object()) fail(label, "expected a JSON object of pieces and ids");
  Ids ids;
  for (const auto& [piece, id] : document.as_object()) {
    if (!id.is_int64()) fail(label, "piece '" + printable(std::string(piece)) + "' has no id");
    ids.emplace_back(piece, id.as_int64());
  }
  return ids;
}

Ids ids_of_lines(const std::string& text) {
  Ids ids;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string piece = text.substr(begin, end - begin);
    if (piece.ends_with('\r')) piece.pop_back();
    ids.emplace_back(std::move(piece), static_cast<std::int64_t>(ids.size()));
    begin = end + 1;
  }
  return ids;
}

// Returns the id of a special token, by its name or by the name that Nematus has for `usual_id`.
int special_id(const std::vector<std::string>& pieces, const std::string& name,
               std::size_t usual_id, const std::string& old_name, const std::string& label) {
  const auto found = std::find(pieces.begin(), pieces.end(), name);
  if (found != pieces.end()) return static_cast<int>(found - pieces.begin());
  if (usual_id < pieces.size() && pieces[usual_id] == old_name) return static_cast<int>(usual_id);
  fail(label, "has no token " + name);
}

}  // namespace

ImportedVocabulary vocabulary_of(const Ids& ids, const std::string& label) {
  ImportedVocabulary vocabulary;
  for (const auto& [piece, id] : ids) {
    if (id < 0 || id >= kMaxPieces)
      fail(label, "piece '" + printable(piece) + "' has id " + std::to_string(id) +
                      "; allowed: 0 to " + std::to_string(kMaxPieces - 1));
    const auto index = static_cast<std::size_t>(id);
    if (index >= vocabulary.pieces.size()) vocabulary.pieces.resize(index + 1);
    vocabulary.pieces[index] = piece;
  }
  vocabulary.end = special_id(vocabulary.pieces, "</s>", 0, "eos", label);
  vocabulary.unknown = special_id(vocabulary.pieces, "<unk>", 1, "UNK", label);
  return vocabulary;
}

ImportedVocabulary read_vocabulary(const ModelFiles& files, const std::string& file) {
  const std::string label = files.describe(file);
  const std::string content = without_gzip(files.read(file, kMaxTextBytes), kMaxTextBytes, label);
  std::string_view name = file;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".spm")) return from_sentencepiece(content, label);
  if (name.ends_with(".json")) return vocabulary_of(ids_of_json(content, label), label);
  const bool map = name.ends_with(".yml") || name.ends_with(".yaml");
  return vocabulary_of(map ? ids_of_yaml(content, label) : ids_of_lines(content), label);
}

std::vector<int> package_order(const ImportedVocabulary& vocabulary, std::int64_t embeddings) {
  std::vector<int> order = {-1, vocabulary.padding.value_or(-1), vocabulary.end,
                            vocabulary.unknown};
  const auto size = std::min(static_cast<std::int64_t>(vocabulary.pieces.size()), embeddings);
  for (int id = 0; id < static_cast<int>(size); ++id) {
    if (std::find(order.begin(), order.begin() + kSpecialTokens, id) ==
        order.begin() + kSpecialTokens)
      order.push_back(id);
  }
  return order;
}

std::string piece_list_text(const ImportedVocabulary& vocabulary, const std::vector<int>& order) {
  std::vector<std::string> pieces;
  for (std::size_t token = kSpecialTokens; token < order.size(); ++token)
    pieces.push_back(vocabulary.pieces[static_cast<std::size_t>(order[token])]);
  return piece_list_text(pieces);
}

std::vector<float> reordered_rows(const std::vector<float>& matrix, std::int64_t width,
                                  const std::vector<int>& order) {
  const auto columns = static_cast<std::size_t>(width);
  std::vector<float> rows(order.size() * columns);
  for (std::size_t token = 0; token < order.size(); ++token) {
    if (order[token] < 0) continue;
    const auto end = (static_cast<std::size_t>(order[token]) + 1) * columns;
    if (end > matrix.size())
      throw std::runtime_error("token " + std::to_string(order[token]) +
                               " of the vocabulary has no embedding");
    std::copy_n(matrix.begin() + static_cast<std::ptrdiff_t>(order[token]) * width, columns,
                rows.begin() + static_cast<std::ptrdiff_t>(token) * width);
  }
  return rows;
}

}  // namespace surtitle
