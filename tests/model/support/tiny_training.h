// A training that takes a second: sentences of a few made-up words, copied word by word.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/training/recipe.h"
#include "tests/model/support/test_files.h"

namespace surtitle {

// Pieces that the copied text has: letters, and its sixteen words.
inline constexpr int kCopyVocabulary = 40;

// `count` sentences of two to six words of sixteen, the same for the same seed.
std::vector<std::string> copy_sentences(int count, unsigned seed);

// Texts to copy, a recipe for them, and folders for runs; gone at the end of the scope.
class TinyTraining {
 public:
  TinyTraining();

  // Of a run's name.
  std::filesystem::path folder(const std::string& run) const { return folder_.path() / run; }
  std::filesystem::path checkpoint(const std::string& run, int updates) const;
  // The recipe as a file, as `surtitle train` takes it.
  std::filesystem::path write_recipe() const;

  Recipe recipe;

 private:
  TemporaryFolder folder_;
};

}  // namespace surtitle
