// The models that streams without a daemon are translated by: each in its own batching loop, loaded
// when it is first asked for.
//
// Thread-safety: none; one owner. Each model runs on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "daemon/translation/batch_loop.h"
#include "model/engine/translator.h"
#include "model/text/tokenizer.h"

namespace surtitle {

class OfflineModel {
 public:
  // Loads a package. Throws std::runtime_error with one line.
  OfflineModel(const std::filesystem::path& package, const TranslatorOptions& options);

  const ModelInfo& info() const noexcept { return loop_->info(); }
  const Tokenizers& tokenizers() const noexcept { return tokenizers_; }

  // Hands commands over and waits until nothing more can be written.
  std::vector<TranslationEvent> translate(std::vector<TranslationCommand> commands);
  void cancel_sentences(const std::vector<SentenceKey>& sentences) { loop_->close(sentences); }

 private:
  const Tokenizers tokenizers_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<TranslationEvent> events_;
  bool is_idle_ = false;

  std::unique_ptr<BatchLoop> loop_;  // last: ends before what it tells
};

class OfflineModels {
 public:
  // `packages`: folders of models that are not shipped; they go before shipped ones of their name.
  // Throws std::runtime_error where one is no package, or two have one name.
  OfflineModels(const std::vector<std::filesystem::path>& packages, TranslatorOptions options);

  // The place of a model in infos(): one of the packages by its name, a shipped one by its name, or
  // a folder. Loads it where it is new. Throws std::runtime_error with one line.
  std::size_t find(const std::string& model);

  // Of those that are loaded.
  std::span<const ModelInfo> infos() const noexcept { return infos_; }
  OfflineModel& operator[](std::size_t place) { return *models_[place]; }

  std::uint64_t next_stream() noexcept { return ++streams_; }

 private:
  std::filesystem::path package_of(const std::string& model) const;

  const TranslatorOptions options_;
  std::map<std::string, std::filesystem::path> packages_;  // by the model's name
  std::map<std::string, std::size_t> places_;              // by what was asked for
  std::vector<ModelInfo> infos_;
  std::vector<std::unique_ptr<OfflineModel>> models_;
  std::uint64_t streams_ = 0;
};

}  // namespace surtitle
