// Translates whole talks whose sentences are not given, as a daemon does, without one.
//
// The talk is a stream of words at an even pace. Sentences end where the daemon ends them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/long_form.h"
#include "daemon/protocol/glossary.h"

namespace surtitle {

struct DocumentPlan {
  std::filesystem::path model;  // a package
  std::string policy;           // a spec; empty: the package's default
  double rate = 2.5;            // words per second
  TextForm source_form = TextForm::kWritten;
  protocol::Glossary glossary = {};
  TranslatorOptions translator;
};

struct DocumentRun {
  std::string policy;  // the spec of the run
  std::vector<ScoringTalk> talks;
  std::vector<std::string> warnings;
  int terms = 0;          // of the glossary, in the source
  int written_terms = 0;  // that the translation has
};

// Translates the talks of the test set. Consecutive lines of a group are the sentences of a talk,
// which has the group's name. The times of the writes include the time of the computation.
// `progress` (may be empty) receives the number of finished lines. Throws std::runtime_error with
// one line. REQUIRES: the test set has groups.
DocumentRun translate_talks(const DocumentPlan& plan, const TestSet& test_set,
                            const std::function<void(std::size_t)>& progress = {});

}  // namespace surtitle
