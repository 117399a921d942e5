// A model with random weights, for tests of its arithmetic.
#pragma once

#include <filesystem>

#include "model/package/package.h"

namespace surtitle {

// Writes a model of token ids to `folder` and opens it. The same config gives the same weights.
Package random_package(const ModelConfig& config, const std::filesystem::path& folder);

}  // namespace surtitle
