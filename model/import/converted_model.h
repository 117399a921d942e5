// A model of Marian, converted to the tensors and fields of a package.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "model/import/readers.h"
#include "model/import/vocabulary.h"
#include "model/package/config.h"
#include "model/package/safetensors.h"

namespace surtitle {

// Tensors that are made one after the other. Thread-safety: none; one owner.
class TensorList {
 public:
  void add(std::string name, Shape shape, std::vector<float> values);
  // Valid as long as *this.
  const std::vector<TensorView>& views() const { return views_; }

 private:
  std::deque<std::vector<float>> values_;
  std::vector<TensorView> views_;
};

struct ConvertedModel {
  ModelConfig config;
  TensorList tensors;
  std::vector<int> source_order;  // the model's id of each token of the package
  std::vector<int> target_order;
};

// Converts a checkpoint of Marian. Throws std::runtime_error that names a field and its value if
// the engine does not support it, or a tensor that does not fit.
ConvertedModel convert_marian(const MarianCheckpoint& checkpoint, const ImportedVocabulary& source,
                              const ImportedVocabulary& target);

// Fields of config.json and generation_config.json of Hugging Face's transformers.
struct TransformersSettings {
  ModelConfig config;
  bool scales_embeddings = false;
  bool separate_vocabularies = false;
  int end = 0;
  int padding = 0;
  int start = 0;  // the token whose embedding is the decoder's first input
  std::vector<int> forbidden;
  std::string name;  // "Helsinki-NLP/opus-mt-de-en", or empty
};
TransformersSettings parse_transformers_settings(const ModelFiles& files);

ConvertedModel convert_transformers(const TensorFile& file, const TransformersSettings& settings,
                                    const ImportedVocabulary& source,
                                    const ImportedVocabulary& target);

// A logit of this value is never the highest one.
inline constexpr float kForbidden = -1e9F;

}  // namespace surtitle
