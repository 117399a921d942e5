#include "daemon/commands/import.h"

#include <iostream>
#include <memory>

#include "model/import/import_marian.h"

namespace surtitle {
namespace {

void run(const MarianImport& options) {
  const ImportedPackage package = import_marian(options);
  std::cout << options.output.string() << ": " << package.source_language << " to "
            << package.target_language << ", from " << package.form << '\n';
  if (!package.licence.empty()) std::cout << "Licence: " << package.licence << '\n';
  for (const std::string& note : package.notes) std::cout << note << '\n';
}

void add_marian(CLI::App& app) {
  auto* command = app.add_subcommand("marian", "Convert a model of Marian: OPUS-MT, Firefox, ...");
  auto options = std::make_shared<MarianImport>();
  command
      ->add_option("path", options->input,
                   "folder of the model, its *.npz, *.bin or *.bin.gz, or a *.zip of OPUS-MT")
      ->required();
  command->add_option("--output", options->output, "folder of the new package")->required();
  command->add_option("--from", options->source_language,
                      "source language; default: as the files have it");
  command->add_option("--to,--target", options->target_language,
                      "target language; default: as the files have it. Of a model with several\n"
                      "ones, the default of the package");
  command->add_option("--name", options->name, "name of the package; default: of its folder");
  command->add_option("--licence", options->licence,
                      "licence of the weights; default: as the files have it");
  command->add_option("--source-url", options->source_url,
                      "URL of the model, for its card and /v1/models");
  command->footer(
      "Forms: a folder of Hugging Face's MarianMT, a checkpoint of Marian (NPZ), Marian's binary\n"
      "format (float32 or intgemm8). docs/models.md has the details.\n"
      "Example: surtitle import marian opus-mt-de-en --output de-en --licence Apache-2.0");
  command->callback([options] { run(*options); });
}

}  // namespace

void add_import_command(CLI::App& app) {
  auto* command = app.add_subcommand("import", "Convert a model of another program to a package");
  command->require_subcommand(1);
  add_marian(*command);
}

}  // namespace surtitle
