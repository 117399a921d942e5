// One sentence's attention under a policy: what `surtitle attention` shows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/teacher_forcing.h"

namespace surtitle {

struct AttentionRequest {
  std::filesystem::path model;
  std::string policy;  // a spec; the package's default where empty
  std::string source;  // one sentence; line breaks are spaces
  // Forced through the model; the model's own translation where there is none.
  std::optional<std::string> target;
  int threads = 0;  // 0: one a processor
};

struct AttentionRun {
  std::string model;  // its name
  std::string policy;
  bool trained_for_policy = true;
  std::string source_text;
  std::string target_text;
  std::vector<std::string> source;  // [S]: tokens as pieces, U+2581 where words part, and "</s>"
  std::vector<std::string> target;  // [T]
  std::vector<std::string> types;   // [layers]: cross-attentions, as model.yaml writes them
  std::vector<bool> aligned;        // [layers]: whether the layer has aligned positions of its own
  ForcedSentence forced;
};

// In float32, the translation too. Throws std::runtime_error or std::invalid_argument with one line
// on bad input.
AttentionRun attend(const AttentionRequest& request);

// What the command prints and its page holds: an object with the fields of AttentionRun, the layers
// as objects with type, attention [heads, T, S], visible [T], p [T] where it is aligned,
// and what it is steered by [T], under its name, where it is.
std::string to_json(const AttentionRun& run);

}  // namespace surtitle
