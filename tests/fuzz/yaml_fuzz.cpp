// Fuzz target of YAML files: surtitled.yaml, model.yaml and training recipes.
//
// The first byte chooses the kind. An accepted configuration or model description must be the same
// after it is written and read again.
#include <stdexcept>

#include "daemon/config/daemon_config.h"
#include "model/package/package.h"
#include "model/training/recipe.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

void read_surtitled(std::string_view text) {
  DaemonConfig config;
  read_config(fuzz::MemoryFile(text).path(), config);
  check_config(config);
  const std::string written = to_yaml(config);
  DaemonConfig again;
  try {
    read_config(fuzz::MemoryFile(written).path(), again);
  } catch (const std::runtime_error& error) {
    fuzz::require(false, error.what(), written);
  }
  fuzz::require(to_yaml(again) == written, "a configuration differs when it is read again",
                written);
}

void read_model(std::string_view text) {
  const PackageDescription description = load_description(fuzz::MemoryFile(text).path());
  const std::string written = to_yaml(description);
  try {
    const PackageDescription again = load_description(fuzz::MemoryFile(written).path());
    fuzz::require(to_yaml(again) == written, "a description differs when it is read again",
                  written);
  } catch (const std::runtime_error& error) {
    fuzz::require(false, error.what(), written);
  }
}

void read_recipe(std::string_view text) { load_recipe(fuzz::MemoryFile(text).path()); }

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  std::string_view input = fuzz::text_of(data, size);
  const std::uint8_t choice = fuzz::take_byte(input);
  try {
    choice % 3 == 0   ? read_surtitled(input)
    : choice % 3 == 1 ? read_model(input)
                      : read_recipe(input);
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
