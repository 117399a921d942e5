#include "daemon/translation/start_watch.h"

#include <algorithm>
#include <utility>

#include "policies/registry.h"

namespace surtitle {
namespace {

// Words that are asked for at a time. If a sentence ends, those behind its end were read in vain.
constexpr std::size_t kAhead = 8;

TranslationCommand open_command(const SentenceKey& key) {
  static const PolicyPtr policy = make_policy("full-sentence");
  return {.kind = TranslationCommand::Kind::kOpen,
          .key = key,
          .policy = policy,
          .tokens = {},
          .watched = true};
}

}  // namespace

bool StartWatch::ready() const {
  if (words_.empty()) {
    return false;
  }
  const Waiting& first = words_.front();
  return !open_ || first.word.text.empty() || first.word.start || (first.asked && first.end == 0);
}

StartWatch::Word StartWatch::next() {
  Word word = std::move(words_.front().word);
  words_.pop_front();
  return word;
}

void StartWatch::begin(const SentenceKey& key, std::size_t model, int limit,
                       std::vector<int> tokens, Commands& commands) {
  open_ = Open{.key = key, .model = model, .limit = limit};
  commands[model].push_back(open_command(key));
  read(std::move(tokens), commands);
}

void StartWatch::end(Commands& commands) {
  if (!open_) {
    return;
  }
  commands[open_->model].push_back({TranslationCommand::Kind::kClose, open_->key, nullptr, {}});
  open_.reset();
  for (Waiting& waiting : words_) {
    waiting.asked = false;
    waiting.word.start.reset();
  }
}

void StartWatch::ask(const std::function<std::vector<int>(std::string_view)>& encode,
                     Commands& commands) {
  for (std::size_t i = 0; open_ && i < std::min(words_.size(), kAhead); ++i) {
    Waiting& waiting = words_[i];
    if (waiting.word.text.empty()) {
      return;
    }
    if (std::exchange(waiting.asked, true)) {
      continue;
    }
    std::vector<int> tokens = encode(waiting.word.text);
    const auto count = static_cast<int>(tokens.size());
    waiting.end = 0;
    if (count > 0 && open_->tokens + count <= open_->limit) {
      read(std::move(tokens), commands);
      waiting.end = open_->tokens;
    }
  }
}

void StartWatch::read(std::vector<int> tokens, Commands& commands) {
  open_->tokens += static_cast<int>(tokens.size());
  open_->reads.push_back(tokens);
  commands[open_->model].push_back(
      {TranslationCommand::Kind::kRead, open_->key, nullptr, std::move(tokens)});
}

void StartWatch::translated(const TranslationEvent& event) {
  if (!open_ || event.key != open_->key || !event.start) {
    return;
  }
  const auto word = std::find_if(words_.begin(), words_.end(), [&](const Waiting& waiting) {
    return waiting.asked && waiting.end == event.read;
  });
  if (word != words_.end()) {
    word->word.start = event.start;
  }
}

void StartWatch::open_again(Commands& commands) const {
  if (!open_) {
    return;
  }
  commands[open_->model].push_back(open_command(open_->key));
  for (const std::vector<int>& tokens : open_->reads) {
    commands[open_->model].push_back(
        {TranslationCommand::Kind::kRead, open_->key, nullptr, tokens});
  }
}

void StartWatch::add_open_sentence(std::map<std::size_t, std::vector<SentenceKey>>& keys) const {
  if (open_) {
    keys[open_->model].push_back(open_->key);
  }
}

}  // namespace surtitle
