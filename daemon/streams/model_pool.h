// The loaded models: of each its tokenizers and its batch loop.
//
// Thread-safety: none; belongs to the network thread. The loops run on threads of their own, and
// their events arrive on the network thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/environment.h"
#include "daemon/base/watchdog.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "daemon/translation/admission_controller.h"
#include "daemon/translation/batch_loop.h"
#include "daemon/translation/stream_plan.h"
#include "daemon/translation/translation_command.h"
#include "model/text/tokenizer.h"

namespace surtitle {

// A model to load: its tokenizers, and the factory of its translator, which runs on the loop's
// thread.
struct ModelSource {
  Tokenizers tokenizers;
  BatchLoop::Factory make_translator;
  std::string name = {};  // as streams request it, if known before the translator is made
};

struct ModelPoolOptions {
  std::size_t inbox_commands = 16384;  // see BatchLoopOptions
  PlanDefaults defaults;               // of streams that name no model or no policy
};

class ModelPool {
 public:
  // Queues a function for the network thread. Callable from any thread.
  using Post = std::function<void(std::function<void()>)>;
  // Both are called on the network thread.
  struct Callbacks {
    std::function<void(const std::vector<TranslationEvent>&)> deliver;  // of one step
    std::function<void()> on_space;  // an inbox has space again after it rejected commands
  };

  ModelPool(ModelPoolOptions options, Post post, DaemonMetrics& metrics,
            AdmissionController& admission, Environment& environment)
      : options_(std::move(options)),
        post_(std::move(post)),
        metrics_(metrics),
        admission_(admission),
        environment_(environment) {}
  ModelPool(const ModelPool&) = delete;
  ModelPool& operator=(const ModelPool&) = delete;
  ~ModelPool() = default;

  // Call once, before the first model is added.
  void set_callbacks(Callbacks callbacks) { callbacks_ = std::move(callbacks); }
  // Loads a model and starts its loop. Throws any exception of its factory.
  void add(const ModelSource& source);
  // Stops the loops. Nothing is posted afterwards.
  void stop() noexcept;

  const std::vector<ModelInfo>& infos() const noexcept { return infos_; }
  const Tokenizers& tokenizers(std::size_t model) const { return models_.at(model)->tokenizers; }
  // The longest sentence that all models can translate, in tokens. REQUIRES: there is a model.
  int sentence_tokens() const;
  // The threads of the loops, for the watchdog. Valid until stop().
  std::vector<Watchdog::Watched> watched() const;

  const PlanDefaults& defaults() const noexcept { return options_.defaults; }
  // The policy of streams that name none. REQUIRES: `model` is one of infos(), and `policy` parses
  // as a policy request.
  void set_default_policy(const std::string& model, const std::string& policy);
  std::string default_policy(const ModelInfo& model) const;

  // As BatchLoop's submit() and close(), for the loop of this model.
  bool submit(std::size_t model, std::vector<TranslationCommand>& commands);
  void cancel_sentences(std::size_t model, const std::vector<SentenceKey>& sentences);

 private:
  struct Model {
    Tokenizers tokenizers;
    std::unique_ptr<BatchLoop> loop;  // nullptr after stop()
  };

  ModelPoolOptions options_;
  const Post post_;
  DaemonMetrics& metrics_;
  AdmissionController& admission_;
  Environment& environment_;
  Callbacks callbacks_;
  std::vector<ModelInfo> infos_;
  std::vector<std::unique_ptr<Model>> models_;
};

}  // namespace surtitle
