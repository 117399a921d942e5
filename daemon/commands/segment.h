// Declares `surtitle segment`, which adds a classifier of meaning units to a model.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "daemon/evaluation/segmentation_run.h"

namespace surtitle {

void add_segment_command(CLI::App& app);

// Formats the result as text, and as the object of --json.
std::string to_table(const SegmentationRun& run);
std::string to_json(const SegmentationRun& run);

}  // namespace surtitle
