#include "daemon/streams/model_pool.h"

#include <algorithm>
#include <utility>

namespace surtitle {

void ModelPool::add(const ModelSource& source) {
  BatchLoopOptions loop;
  loop.inbox_commands = options_.inbox_commands;
  loop.deliver = [this](std::shared_ptr<const std::vector<TranslationEvent>> events) {
    post_([this, events = std::move(events)] { callbacks_.deliver(*events); });
  };
  loop.on_space = [this] { post_([this] { callbacks_.on_space(); }); };
  // The loop's own thread fills in the name before the first step.
  const auto name = std::make_shared<std::string>();
  loop.report = [this, name, number = models_.size()](const StepReport& report) {
    metrics_.step(*name, report);
    admission_.add_step(number, report.duration, report.reads + report.writes, environment_.now());
  };
  loop.on_occupancy = [this, name](const LoopOccupancy& fill) { metrics_.occupancy(*name, fill); };
  loop.calibrate = admission_.on();
  const auto make = [&source, name] {
    std::unique_ptr<Translator> translator = source.make_translator();
    *name = translator->info().name;
    return translator;
  };
  auto model = std::make_unique<Model>();
  model->tokenizers = source.tokenizers;
  model->loop = std::make_unique<BatchLoop>(make, std::move(loop), environment_);
  infos_.push_back(model->loop->info());
  models_.push_back(std::move(model));
  metrics_.add_model(infos_.back().name);
  admission_.add_model(infos_.back().name, models_.back()->loop->step_cost());
}

void ModelPool::stop() noexcept {
  for (const std::unique_ptr<Model>& model : models_) {
    model->loop.reset();
  }
}

int ModelPool::sentence_tokens() const {
  return std::min_element(infos_.begin(), infos_.end(),
                          [](const ModelInfo& one, const ModelInfo& other) {
                            return one.max_source_tokens < other.max_source_tokens;
                          })
      ->max_source_tokens;
}

std::vector<Watchdog::Watched> ModelPool::watched() const {
  std::vector<Watchdog::Watched> all;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    all.push_back({infos_[i].name, &models_[i]->loop->crumb()});
  }
  return all;
}

void ModelPool::set_default_policy(const std::string& model, const std::string& policy) {
  options_.defaults.policies[model] = policy;
}

std::string ModelPool::default_policy(const ModelInfo& model) const {
  const PlanDefaults& defaults = options_.defaults;
  const auto own = defaults.policies.find(model.name);
  return own != defaults.policies.end() ? own->second
                                        : defaults.policy.value_or(model.default_policy);
}

bool ModelPool::submit(std::size_t model, std::vector<TranslationCommand>& commands) {
  return models_.at(model)->loop->submit(commands);
}

void ModelPool::cancel_sentences(std::size_t model, const std::vector<SentenceKey>& sentences) {
  if (const std::unique_ptr<BatchLoop>& loop = models_.at(model)->loop) {
    loop->close(sentences);
  }
}

}  // namespace surtitle
