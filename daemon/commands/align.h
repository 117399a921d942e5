// `surtitle align`: word alignments that a model's attention makes between a text and its
// reference.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/evaluation/alignment_run.h"

namespace surtitle {

// The reference is forced through the model (model/analysis/teacher_forcing.h). In one layer's
// attention, mean over heads, a target word's attention to a source word is the sum over the tokens
// of both; each target word is linked to the source word that it attends to most, and nothing to
// the end of sentence. Alignments are lines of "SOURCE-TARGET" links, words counted from 0
// (Pharaoh's format).
void add_align_command(CLI::App& app);

// The scores that the command prints: for people, and with --json.
std::string to_table(const AlignmentRun& run);
std::string to_json(const AlignmentRun& run);

}  // namespace surtitle
