// A model whose weights are random, for tests of its arithmetic.
#pragma once

#include <filesystem>

#include "model/package/package.h"

namespace surtitle {

// Written into `folder` and opened; a model of token ids only, the same for the same config.
Package random_package(const ModelConfig& config, const std::filesystem::path& folder);

}  // namespace surtitle
