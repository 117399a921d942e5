// surtitled without a model: the daemon itself on the scripted translator, for tests of everything
// that talks to it. Takes surtitled's flags; `--models` are names of scripted models: one that
// contains "multipath" is trained for wait-k and full-sentence, one that contains "whole" for
// full-sentence alone, every other for gma; one that contains "-fr" translates into French, every
// other into English; one that contains "blind" shows no attention; one that contains "slow" takes
// 50 ms for each token, one that contains "steady" 5 ms; "missing" cannot be loaded.
#include <memory>
#include <stdexcept>

#include "daemon/server/program.h"
#include "tests/daemon/support/scripted_translator.h"

namespace {

surtitle::ModelSource load(const std::string& model, const surtitle::DaemonConfig& config) {
  if (model == "missing") {
    throw std::runtime_error("missing/model.yaml: the file cannot be read");
  }
  surtitle::ScriptedOptions options;
  options.name = model;
  options.max_sentences = config.max_sentences;
  if (model.find("multipath") != std::string::npos) {
    options.trained_policies = {"wait-k", "full-sentence"};
  }
  if (model.find("whole") != std::string::npos) {
    options.trained_policies = {"full-sentence"};
  }
  if (model.find("-fr") != std::string::npos) {
    options.target_language = "fr";
  }
  if (model.find("slow") != std::string::npos) {
    options.token_time = std::chrono::milliseconds(50);
  }
  if (model.find("steady") != std::string::npos) {
    options.token_time = std::chrono::milliseconds(5);
  }
  options.supports_attention = model.find("blind") == std::string::npos;
  const auto tokenizer = std::make_shared<surtitle::ScriptedTokenizer>();
  return {surtitle::Tokenizers(tokenizer),
          [tokenizer, options] {
            return std::make_unique<surtitle::ScriptedTranslator>(tokenizer, options);
          },
          options.name};
}

}  // namespace

int main(int argc, char** argv) { return surtitle::run_daemon(argc, argv, load); }
