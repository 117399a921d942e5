// Declares `surtitle train`, which trains a model from a recipe.
//
// Only training needs LibTorch. It is therefore a separate program, surtitle_train, and no other
// command waits for LibTorch to load. `surtitle train` checks the command line and replaces itself
// by surtitle_train. Both programs declare the command with this header.
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
  int cooldown = 0;  // updates; 0: only the cooldown of the recipe
  // If it is not empty, `recipe` is the folder of a run, whose log becomes this page. Nothing is
  // trained.
  std::filesystem::path report;
};

// Declares the command with `train` as its callback, which is not called for --report.
void declare_train_command(CLI::App& app, void (*train)(const TrainOptions&));

// Declares the command of `surtitle`. Its callback replaces the process by surtitle_train from the
// folder of the running program.
void add_train_command(CLI::App& app);

}  // namespace surtitle
