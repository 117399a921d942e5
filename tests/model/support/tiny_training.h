// A training that takes a second: it copies sentences of a few invented words.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/training/recipe.h"
#include "tests/model/support/test_files.h"

namespace surtitle {

// Pieces of the copied text: letters, and its sixteen words.
inline constexpr int kCopyVocabulary = 40;

// Returns `count` sentences of two to six words of sixteen; equal seeds give equal sentences.
std::vector<std::string> copy_sentences(int count, unsigned seed);

// Texts to copy, a recipe for them, and folders for runs, removed at the end of the scope.
class TinyTraining {
 public:
  TinyTraining();

  // Returns the folder of a run.
  std::filesystem::path folder(const std::string& run) const { return folder_.path() / run; }
  std::filesystem::path checkpoint(const std::string& run, int updates) const;
  // Writes the recipe as a file for `surtitle train`.
  std::filesystem::path write_recipe() const;

  Recipe recipe;

 private:
  TemporaryFolder folder_;
};

}  // namespace surtitle
