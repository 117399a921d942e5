// Declares `surtitle align`, which derives word alignments from a model's attention.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/evaluation/alignment_run.h"

namespace surtitle {

// The command forces the reference through the model (model/analysis/teacher_forcing.h) and uses
// the attention of one layer, averaged over its heads. A target word's attention to a source word
// is the sum over the tokens of both. Each target word is linked to the source word that it attends
// to most, and never to the end of sentence. Alignments are written in Pharaoh's format: lines of
// "SOURCE-TARGET" links with words counted from 0.
void add_align_command(CLI::App& app);

// Formats the scores as a table, and as the object of --json.
std::string to_table(const AlignmentRun& run);
std::string to_json(const AlignmentRun& run);

}  // namespace surtitle
