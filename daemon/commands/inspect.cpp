#include "daemon/commands/inspect.h"

#include <iostream>
#include <memory>

#include "model/package/inspection.h"

namespace surtitle {
namespace {

struct Options {
  std::filesystem::path package;
  bool json = false;
};

void run(const Options& options) {
  std::cout << inspect(options.package,
                       options.json ? InspectionFormat::kJson : InspectionFormat::kText)
            << std::flush;
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto* command = app.add_subcommand("inspect", "Check a model package and describe it");
  auto options = std::make_shared<Options>();
  command
      ->add_option("package", options->package,
                   "folder of a model package, or a .safetensors file whose tensors to list")
      ->required();
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(
      "Every check that the daemon makes before it opens its port is made here: exit code 1 and "
      "one\n"
      "line that names the file and the tensor where something is wrong.\n"
      "Example: surtitle inspect model/pretrained/de-en-gma");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
