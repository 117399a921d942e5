// surtitled: the daemon with real models.
#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "daemon/base/install_paths.h"
#include "daemon/server/program.h"
#include "model/engine/translator.h"
#include "model/loader/make_inference.h"
#include "model/package/package.h"
#include "model/text/tokenizer.h"
#include "model/util/processors.h"

namespace {

namespace fs = std::filesystem;

// Leaves one core to the network thread. On two cores with 1,500 streams, the write delay (p99) is
// 23 ms with one thread for the model and 114 ms with two.
int model_threads() { return std::max(surtitle::available_processors() - 1, 1); }

surtitle::ModelSource load(const std::string& model, const surtitle::DaemonConfig& config) {
  const fs::path folder = surtitle::model_folder(model);
  const surtitle::PackageDescription description =
      surtitle::load_description(folder / "model.yaml");
  if (description.tokenizer.type == surtitle::TokenizerFiles::Type::kNone) {
    throw std::runtime_error((folder / "model.yaml").string() +
                             ": the model has no tokenizer, so it cannot translate text");
  }
  surtitle::TranslatorOptions options;
  options.device = config.device;
  options.precision = config.precision;
  options.threads = config.threads > 0 ? config.threads : model_threads();
  options.max_sentences = config.max_sentences;
  surtitle::chooses_cuda(options);  // throws if there is no such device
  return {surtitle::load_tokenizers(folder, description.tokenizer),
          [folder, options] { return surtitle::load_translator(folder, options); },
          description.name};
}

}  // namespace

int main(int argc, char** argv) { return surtitle::run_daemon(argc, argv, load); }
