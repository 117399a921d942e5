// A small model whose weights are all zero, for tests that only need a package.
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

  // As they are then, with test_tokenizer_file() for its tokenizer.
  void write(const std::filesystem::path& folder) const;

  PackageDescription description;
  std::vector<TensorView> weights;

 private:
  std::vector<std::vector<std::byte>> values_;
};

}  // namespace surtitle
