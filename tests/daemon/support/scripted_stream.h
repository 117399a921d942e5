// A session and a scripted translator, connected by hand, on a simulated clock. Tokens ahead are
// not read.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/translation/session.h"
#include "policies/registry.h"
#include "tests/daemon/support/scripted_translator.h"

namespace surtitle {

// All tracks belong to model 0.
class ScriptedStream {
 public:
  explicit ScriptedStream(const std::string& policy = "gma:delta=1", SessionOptions options = {},
                          int sentence_tokens = TrackSetting().sentence_tokens,
                          ScriptedOptions scripted = {})
      : translator_(tokenizer_, std::move(scripted)) {
    options.tracks = {{"", setting(policy)}};
    options.tracks.front().setting.watches_starts = translator_.info().watches_starts;
    options.tracks.front().setting.sentence_tokens = sentence_tokens;
    begin(std::move(options));
  }

  // `tracks`: the name and the policy of each.
  explicit ScriptedStream(const std::vector<std::pair<std::string, std::string>>& tracks)
      : translator_(tokenizer_, {}) {
    SessionOptions options;
    for (const auto& [name, policy] : tracks) {
      options.tracks.push_back({name, setting(policy)});
    }
    begin(std::move(options));
  }

  TrackSetting setting(const std::string& policy) const {
    return {.model_name = "scripted",
            .target_language = "en",
            .tokenizers = Tokenizers(tokenizer_),
            .policy = make_policy(policy)};
  }

  std::optional<protocol::Error> receive(const protocol::ClientMessage& message) {
    std::optional<protocol::Error> error = session_->receive(message, now_);
    take_output();
    return error;
  }

  void source(const std::string& text) {
    ASSERT_EQ(receive(protocol::Source{++seq_, text, {}}), std::nullopt);
  }

  void configure(std::size_t track, TrackSetting setting) {
    session_->configure(track, std::move(setting));
    take_output();
  }

  void wait(Seconds seconds) {
    now_ += to_duration(seconds);
    session_->on_deadline(now_);
    take_output();
  }

  // Runs one step of the translator. Returns false if no sentence can move.
  bool tick() {
    std::vector<Write> writes;
    const bool more = translator_.tick(writes);
    std::vector<TranslationEvent> events;
    for (const Write& write : writes) {
      events.push_back({.key = keys_.at(write.sentence),
                        .token = write.token,
                        .read = write.read,
                        .end = write.end,
                        .attention = write.attention,
                        .start = write.start});
      if (write.end) {
        close(events.back().key);
      }
    }
    for (const TranslationEvent& event : events) {
      EXPECT_EQ(session_->translated(event, now_), std::nullopt);
      take_output();
    }
    return more || !writes.empty();
  }

  void run() {
    while (tick()) {
    }
  }

  template <class Message>
  std::vector<Message> all() const {
    std::vector<Message> found;
    for (const Outgoing& outgoing : outgoing_) {
      if (const auto* message = std::get_if<Message>(&outgoing.message)) {
        found.push_back(*message);
      }
    }
    return found;
  }

  std::vector<std::string> targets() const {
    std::vector<std::string> targets;
    for (const protocol::Sentence& sentence : all<protocol::Sentence>()) {
      targets.push_back(sentence.target);
    }
    return targets;
  }

  // The commands to read ahead, and the answer to the oldest one.
  const std::deque<TranslationCommand>& ahead() const { return ahead_; }
  void answer_ahead(std::vector<int> draft) {
    TranslationEvent event{ahead_.front().key};
    event.draft = std::move(draft);
    ahead_.pop_front();
    EXPECT_EQ(session_->translated(event, now_), std::nullopt);
    take_output();
  }
  std::vector<int> encode(std::string_view word) const { return tokenizer_->encode_word(word); }

  const std::vector<Outgoing>& outgoing() const { return outgoing_; }
  Session& session() { return *session_; }
  const ScriptedTranslator& translator() const { return translator_; }
  std::size_t open_in_translator() const { return ids_.size(); }
  TimePoint now() const { return now_; }

 private:
  void begin(SessionOptions options) {
    options.stream = 1;
    session_.emplace(std::move(options), now_);
  }

  void take_output() {
    using Kind = TranslationCommand::Kind;
    SessionOutput output = session_->take_output();
    std::move(output.messages.begin(), output.messages.end(), std::back_inserter(outgoing_));
    for (const TranslationCommand& command : output.commands[0]) {
      if (command.kind == Kind::kOpen) {
        const SentenceId id = translator_.open(command.policy).value();
        ids_[command.key] = id;
        keys_[id] = command.key;
        if (command.shares_source_with) {
          translator_.share_source(id, ids_.at(*command.shares_source_with));
        }
        if (command.attention) {
          translator_.record_attention(id);
        }
        if (command.watched) {
          translator_.watch_starts(id);
        }
        if (!command.forced.empty()) {
          translator_.force(id, command.forced);
        }
      } else if (command.kind == Kind::kReadAhead) {
        ahead_.push_back(command);
      } else if (command.kind == Kind::kRead) {
        translator_.read(ids_.at(command.key), command.tokens);
      } else if (command.kind == Kind::kFinish) {
        translator_.finish(ids_.at(command.key));
      } else if (command.kind == Kind::kClose) {
        close(command.key);
      }
    }
  }

  // Does nothing if the sentence is closed already.
  void close(const SentenceKey& key) {
    const auto id = ids_.find(key);
    if (id != ids_.end()) {
      translator_.close(id->second);
      keys_.erase(id->second);
      ids_.erase(id);
    }
  }

  std::shared_ptr<const ScriptedTokenizer> tokenizer_ = std::make_shared<ScriptedTokenizer>();
  ScriptedTranslator translator_;
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  std::optional<Session> session_;
  std::map<SentenceKey, SentenceId> ids_;
  std::map<SentenceId, SentenceKey> keys_;
  std::deque<TranslationCommand> ahead_;
  std::vector<Outgoing> outgoing_;
  std::int64_t seq_ = 0;
};

// The fields of a write, without its time.
using WriteFields = std::tuple<int, int, std::string, int, int>;

inline std::vector<WriteFields> write_fields(const ScriptedStream& stream) {
  std::vector<WriteFields> list;
  for (const protocol::Write& write : stream.all<protocol::Write>()) {
    list.emplace_back(write.sentence, write.index, write.text, write.read, write.words);
  }
  return list;
}

}  // namespace surtitle
