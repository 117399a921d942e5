// surtitled: the daemon with real models.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "daemon/program.h"
#include "daemon/shipped.h"
#include "model/package.h"
#include "model/tokenizer.h"
#include "model/translator.h"

namespace {

namespace fs = std::filesystem;

// LibTorch's libraries read these when they are loaded, before main(); so the program starts itself
// once more where they are missing. Waiting threads must sleep: spinning ones take the cores from
// the sockets (measured on two busy cores: 7 ms for a linear layer instead of 0.15 ms). oneDNN
// keeps a compiled primitive for every shape that it ever met unless told otherwise.
void set_up_libraries(char** argv) {
  constexpr const char* kDone = "SURTITLED_LIBRARIES_SET_UP";
  if (std::getenv(kDone) != nullptr) {
    return;
  }
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  setenv("GOMP_SPINCOUNT", "0", /*overwrite=*/0);
  setenv("DNNL_PRIMITIVE_CACHE_CAPACITY", "64", /*overwrite=*/0);
  setenv(kDone, "1", /*overwrite=*/1);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    execv(program.c_str(), argv);
  }
  std::perror("surtitled: cannot start itself anew, goes on without tuned libraries");
}

surtitle::ModelSource load(const std::string& model, const surtitle::DaemonConfig& config) {
  const fs::path folder = surtitle::model_folder(model);
  const surtitle::PackageDescription description =
      surtitle::load_description(folder / "model.yaml");
  if (description.tokenizer.empty()) {
    throw std::runtime_error((folder / "model.yaml").string() +
                             ": the model has no tokenizer, so it cannot translate text");
  }
  surtitle::TranslatorOptions options;
  options.device = config.device;
  options.threads = config.threads;
  options.max_sentences = config.max_sentences;
  return {surtitle::load_tokenizer(folder / description.tokenizer),
          [folder, options] { return surtitle::load_translator(folder, options); }};
}

}  // namespace

int main(int argc, char** argv) {
  set_up_libraries(argv);
  return surtitle::run_daemon(argc, argv, load);
}
