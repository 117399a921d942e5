// Declares `surtitle evaluate`, which measures quality and latency of a model on a test set.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/evaluation/evaluation.h"

namespace surtitle {

void add_evaluate_command(CLI::App& app);

// Formats the result as a table, and as the object of --json.
std::string to_table(const EvaluationRun& run);
std::string to_json(const EvaluationRun& run);

}  // namespace surtitle
