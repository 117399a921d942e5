// `surtitle evaluate --document`: talks without given sentences.
#pragma once

#include <filesystem>
#include <string>

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

}  // namespace surtitle
