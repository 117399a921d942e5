#include "daemon/commands/inspect.h"

#include <iostream>
#include <memory>

#include "daemon/base/install_paths.h"
#include "model/package/inspection.h"

namespace surtitle {
namespace {

struct Options {
  std::filesystem::path package;
  bool json = false;
};

void run(const Options& options) {
  const bool is_file = std::filesystem::is_regular_file(options.package);
  std::cout << inspect(is_file ? options.package : model_folder(options.package),
                       options.json ? InspectionFormat::kJson : InspectionFormat::kText)
            << std::flush;
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto* command = app.add_subcommand("inspect", "Check a model package and describe it");
  auto options = std::make_shared<Options>();
  command
      ->add_option("package", options->package,
                   "model package (folder), the name of a shipped model, or a .safetensors file to "
                   "list its tensors")
      ->required();
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(
      "The command checks a package as the daemon does before it opens its port. If a check\n"
      "fails, the exit code is 1 and one line names the file and the tensor.\n"
      "Example: surtitle inspect de-en-gma");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
