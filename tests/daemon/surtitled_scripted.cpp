// surtitled without a model: the daemon itself with the scripted translator, for tests of its
// clients. It has surtitled's flags; `--models` are names of scripted models. Parts of a name have
// an effect:
//   "multipath"  trained for wait-k and full-sentence, not for gma
//   "whole"      trained for full-sentence only
//   "attentive"  as "multipath", and for alignatt, its default policy
//   "limited"    as "multipath", on a device that does not support the default policy alignatt
//   "fr-"        translates from French, not from German
//   "-fr"        translates into French, not into English
//   "several"    translates also into Spanish and Italian
//   "blind"      shows no attention
//   "slow"       takes 50 ms for each token
//   "steady"     takes 5 ms for each token
//   "blank"      has no placeholders for glossaries
//   "spoken"     is trained for spoken text too, in which "also" begins a sentence
// A model with the name "missing" cannot be loaded.
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
  options.origin = "https://example.org/" + model;
  options.max_sentences = config.max_sentences;
  if (model.find("multipath") != std::string::npos) {
    options.policies = {"wait-k", "full-sentence"};
  }
  if (model.find("attentive") != std::string::npos) {
    options.policies = {"alignatt", "wait-k", "full-sentence"};
  }
  if (model.find("limited") != std::string::npos) {
    options.policies = {"wait-k", "full-sentence"};
    options.replaced_policy = "alignatt:f=2";
  }
  if (model.find("whole") != std::string::npos) {
    options.policies = {"full-sentence"};
  }
  if (model.starts_with("fr-")) {
    options.source_language = "fr";
  }
  if (model.find("-fr") != std::string::npos) {
    options.target_language = "fr";
  }
  if (model.find("several") != std::string::npos) {
    options.other_targets = {"es", "it"};
  }
  if (model.find("slow") != std::string::npos) {
    options.token_time = std::chrono::milliseconds(50);
  }
  if (model.find("steady") != std::string::npos) {
    options.token_time = std::chrono::milliseconds(5);
  }
  if (model.find("spoken") != std::string::npos) {
    options.source_forms = {surtitle::TextForm::kWritten, surtitle::TextForm::kSpoken};
    const int also = surtitle::ScriptedTokenizer().encode_word("also").front();
    options.start = [also](std::span<const int> tokens) {
      return tokens.back() == also ? 0.9F : 0.1F;
    };
  }
  if (model.find("blank") != std::string::npos) {
    options.placeholders.clear();
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
