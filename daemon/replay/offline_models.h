// Models for streams without a daemon, each with its own batch loop.
//
// A model is loaded when it is first requested, and runs on a thread of its own.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "daemon/translation/batch_loop.h"
#include "model/engine/translator.h"
#include "model/text/tokenizer.h"
#include "model/util/mutex.h"

namespace surtitle {

class OfflineModel {
 public:
  // Loads a package. Throws std::runtime_error with one line.
  OfflineModel(const std::filesystem::path& package, const TranslatorOptions& options);

  const ModelInfo& info() const noexcept { return loop_->info(); }
  const Tokenizers& tokenizers() const noexcept { return tokenizers_; }

  // Submits commands, waits until the model cannot write any more tokens, and returns its events.
  std::vector<TranslationEvent> translate(std::vector<TranslationCommand> commands);
  void cancel_sentences(const std::vector<SentenceKey>& sentences) { loop_->close(sentences); }

 private:
  const Tokenizers tokenizers_;

  Mutex mutex_;
  CondVar idle_;
  std::vector<TranslationEvent> events_ GUARDED_BY(mutex_);
  bool is_idle_ GUARDED_BY(mutex_) = false;

  std::unique_ptr<BatchLoop> loop_;  // last: its thread ends before the members that it uses
};

class OfflineModels {
 public:
  // `packages`: folders of models that are not shipped. They take precedence over shipped models of
  // the same name. Throws std::runtime_error if a folder is not a package, or if two have the same
  // name.
  OfflineModels(const std::vector<std::filesystem::path>& packages, TranslatorOptions options);

  // Returns the index of a model in infos() and loads the model if it is new. `model`: the name of
  // one of the packages, the name of a shipped model, or a folder. Throws std::runtime_error with
  // one line.
  std::size_t find(const std::string& model);

  // Returns the loaded models.
  std::span<const ModelInfo> infos() const noexcept { return infos_; }
  OfflineModel& operator[](std::size_t place) { return *models_[place]; }

  std::uint64_t next_stream() noexcept { return ++streams_; }

 private:
  std::filesystem::path package_of(const std::string& model) const;

  const TranslatorOptions options_;
  std::map<std::string, std::filesystem::path> packages_;  // by the model's name
  std::map<std::string, std::size_t> places_;              // indices, by the argument of find()
  std::vector<ModelInfo> infos_;
  std::vector<std::unique_ptr<OfflineModel>> models_;
  std::uint64_t streams_ = 0;
};

}  // namespace surtitle
