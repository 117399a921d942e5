// `surtitle train RECIPE.yaml`: trains a model.
//
// Training alone needs LibTorch, so it is a program of its own, surtitle_train, and no other
// command waits for LibTorch to load. `surtitle train` checks the command line and becomes that
// program; both declare it here.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace surtitle {

struct TrainOptions {
  std::filesystem::path recipe;
  std::filesystem::path data;
  std::filesystem::path output;
  std::filesystem::path resume;
  std::filesystem::path init_from;
  std::string device = "auto";
  int threads = 0;   // 0: one for each processor
  int cooldown = 0;  // updates; 0: none out of turn
};

// Declares the command, whose callback is `train`.
void declare_train_command(CLI::App& app, void (*train)(const TrainOptions&));

// The command of `surtitle`: becomes surtitle_train, which lies beside the running program.
void add_train_command(CLI::App& app);

}  // namespace surtitle
