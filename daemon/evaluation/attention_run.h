// Computes the attention of one sentence under a policy, for `surtitle attention`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/teacher_forcing.h"

namespace surtitle {

struct AttentionRequest {
  std::filesystem::path model;
  std::string policy;  // a spec; empty: see open_forced_model()
  std::string source;  // one sentence; line breaks count as spaces
  // The target that is forced through the model; nullopt: the model's own translation.
  std::optional<std::string> target;
  int threads = 0;  // 0: one for each processor
};

struct AttentionRun {
  std::string model;  // name of the package
  std::string policy;
  bool trained_for_policy = true;
  std::string source_text;
  std::string target_text;
  std::vector<std::string> source;  // [S]: pieces of tokens, U+2581 between words, and "</s>"
  std::vector<std::string> target;  // [T]
  std::vector<std::string> types;   // [layers]: cross-attentions, as spelled in model.yaml
  std::vector<bool> aligned;        // [layers]: whether the layer has aligned positions of its own
  ForcedSentence forced;
};

// Computes attention and translation in float32. Throws std::runtime_error or std::invalid_argument
// with one line on bad input.
AttentionRun attend(const AttentionRequest& request);

// Returns the object that the command prints and its page contains: the fields of AttentionRun, and
// the layers as objects. A layer has type, attention [heads, T, S] and visible [T]. It has p [T] if
// it is aligned, and its control [T], under the control's name, if it has one.
std::string to_json(const AttentionRun& run);

}  // namespace surtitle
