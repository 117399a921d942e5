#include "daemon/replay/offline_models.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "daemon/base/install_paths.h"
#include "daemon/evaluation/text_model.h"
#include "model/package/package.h"

namespace surtitle {

OfflineModel::OfflineModel(const std::filesystem::path& package, const TranslatorOptions& options)
    : tokenizers_(open_text_model(package, "").package.tokenizers) {
  BatchLoopOptions loop;
  loop.deliver = [this](const std::shared_ptr<const std::vector<TranslationEvent>>& events) {
    std::vector<TranslationEvent> more;
    const auto is_idle = [](const TranslationEvent& event) { return event.idle; };
    std::remove_copy_if(events->begin(), events->end(), std::back_inserter(more), is_idle);
    const MutexLock lock(mutex_);
    events_.insert(events_.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
    is_idle_ = is_idle_ || more.size() < events->size();
    idle_.notify_one();
  };
  loop_ = std::make_unique<BatchLoop>([&] { return load_translator(package, options); },
                                      std::move(loop));
}

std::vector<TranslationEvent> OfflineModel::translate(std::vector<TranslationCommand> commands) {
  commands.push_back({TranslationCommand::Kind::kNotifyWhenIdle, {}, nullptr, {}});
  {
    const MutexLock lock(mutex_);
    is_idle_ = false;
  }
  loop_->submit(commands);
  const MutexLock lock(mutex_);
  while (!is_idle_) {
    idle_.wait(mutex_);
  }
  return std::exchange(events_, {});
}

OfflineModels::OfflineModels(const std::vector<std::filesystem::path>& packages,
                             TranslatorOptions options)
    : options_(std::move(options)) {
  for (const std::filesystem::path& package : packages) {
    const std::string name = load_description(package / "model.yaml").name;
    const auto [known, added] = packages_.emplace(name, package);
    if (!added) {
      throw std::runtime_error("two models are named " + name + ": " + known->second.string() +
                               " and " + package.string());
    }
  }
}

std::filesystem::path OfflineModels::package_of(const std::string& model) const {
  const auto given = packages_.find(model);
  if (given != packages_.end()) {
    return given->second;
  }
  try {
    return model_folder(model);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + std::string("; --models adds folders of models"));
  }
}

std::size_t OfflineModels::find(const std::string& model) {
  const auto known = places_.find(model);
  if (known != places_.end()) {
    return known->second;
  }
  models_.push_back(std::make_unique<OfflineModel>(package_of(model), options_));
  infos_.push_back(models_.back()->info());
  return places_[model] = models_.size() - 1;
}

}  // namespace surtitle
