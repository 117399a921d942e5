// `surtitle segment`: teaches a model where meaning units end, for the policy `mu`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/evaluation/segmentation_run.h"

namespace surtitle {

void add_segment_command(CLI::App& app);

// What the command prints: for people, and with --json.
std::string to_table(const SegmentationRun& run);
std::string to_json(const SegmentationRun& run);

}  // namespace surtitle
