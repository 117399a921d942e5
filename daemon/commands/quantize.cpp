#include "daemon/commands/quantize.h"

#include <filesystem>
#include <memory>

#include "daemon/base/install_paths.h"
#include "model/package/quantization.h"

namespace surtitle {
namespace {

struct Options {
  std::filesystem::path package;
  std::filesystem::path output;
  int bits = 8;
};

}  // namespace

void add_quantize_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("quantize", "Convert a model package to 8 bits, half its size");
  auto options = std::make_shared<Options>();
  command
      ->add_option("package", options->package,
                   "model package (folder), or the name of a shipped model")
      ->required();
  command->add_option("--output", options->output, "folder of the new package")->required();
  command
      ->add_option("--bits", options->bits,
                   "fewer bits give the bytes fewer values: archives of the package are smaller, "
                   "the package itself is not")
      ->capture_default_str()
      ->check(CLI::Range(6, 8));
  command->footer(
      "The 8-bit engine computes with the same numbers under both packages.\n"
      "Example: surtitle quantize RUN/package --output my-model");
  command->callback([options] {
    write_quantized_package(open_package(model_folder(options->package)), options->output,
                            options->bits);
  });
}

}  // namespace surtitle
