// `surtitle train RECIPE.yaml`: trains a model.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

void add_train_command(CLI::App& app);

}  // namespace surtitle
