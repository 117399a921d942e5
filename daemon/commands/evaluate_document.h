// Runs `surtitle evaluate --document`, which scores whole talks without given sentences.
#pragma once

#include <filesystem>
#include <string>

#include "daemon/evaluation/sweep.h"
#include "daemon/replay/document_run.h"

namespace surtitle {

struct DocumentOutput {
  std::filesystem::path translations;  // a line for each line of the references; empty: none
  std::filesystem::path scoring;       // folder of write_scoring_files(); empty: none
  bool json = false;
};

// Translates the talks, scores the translation by the sentences of the references, and prints the
// scores in milliseconds. Throws std::runtime_error with one line.
void evaluate_document(const DocumentPlan& plan, const TestSet& test_set,
                       const DocumentOutput& output);

// Returns the scores of a test set that is one talk, as a row of a sweep. Throws as above.
SweepRun sweep_run_of_talk(const DocumentPlan& plan, const NamedTestSet& talk,
                           const SentenceProgress& progress);

}  // namespace surtitle
