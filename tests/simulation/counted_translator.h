// A scripted translator that counts its open sentences.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "tests/daemon/support/scripted_translator.h"

namespace surtitle {

class CountedTranslator : public ScriptedTranslator {
 public:
  // `open` is their number; it is 0 now, and outlives this.
  CountedTranslator(std::shared_ptr<const ScriptedTokenizer> tokenizer, ScriptedOptions options,
                    int& open)
      : ScriptedTranslator(std::move(tokenizer), std::move(options)), open_(open) {
    open_ = 0;
  }

  std::optional<SentenceId> open(PolicyPtr policy) override {
    const auto id = ScriptedTranslator::open(std::move(policy));
    open_ += id ? 1 : 0;
    return id;
  }
  void close(SentenceId sentence) override {
    ScriptedTranslator::close(sentence);
    --open_;
  }

 private:
  int& open_;
};

}  // namespace surtitle
