// A small model with zero weights, for tests that only need a package.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "model/package/package.h"

namespace surtitle {

struct ZeroPackage {
  ZeroPackage();
  ZeroPackage(const ZeroPackage&) = delete;
  ZeroPackage& operator=(const ZeroPackage&) = delete;

  // Writes the description and the weights in their present state, with test_tokenizer_file() as
  // tokenizer.
  void write(const std::filesystem::path& folder) const;

  PackageDescription description;
  std::vector<TensorView> weights;

 private:
  std::vector<std::vector<std::byte>> values_;
};

}  // namespace surtitle
