#include "daemon/offline_stream.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "daemon/daemon_config.h"
#include "daemon/text_model.h"
#include "model/package.h"
#include "model/tokenizer.h"

namespace surtitle {
namespace {

class OfflineStream {
 public:
  OfflineStream(OfflineModel& model, const protocol::Start& start, const TimedLog& talk,
                ReplayReport& report, std::vector<std::string>& warnings)
      : model_(model),
        report_(report),
        plan_(plan(start, warnings)),
        session_(options(start, talk), {}) {}
  OfflineStream(const OfflineStream&) = delete;
  OfflineStream& operator=(const OfflineStream&) = delete;
  ~OfflineStream() {
    for (const auto& [model, sentences] : session_.open_sentences()) {
      model_.give_up(sentences);
    }
  }

  RecordedRun say(const TimedLog& talk) {
    const std::string policy = plan_.policy_spec();
    TimePoint now;
    for (const TimedText& timed : talk.texts) {
      now = TimePoint() + to_duration(Seconds(timed.time));
      fall_silent(now);
      say(timed, now);
    }
    session_.finish(now);
    settle(now);
    return {"", model_.info().name, policy, recorder_.sentences()};
  }

 private:
  static void require(const std::optional<protocol::Error>& error) {
    if (error) {
      throw std::runtime_error(error->message);
    }
  }

  TrackPlan plan(const protocol::Start& start, std::vector<std::string>& warnings) const {
    std::variant<StreamPlan, protocol::Error> plan =
        plan_stream(start, std::span(&model_.info(), 1), {});
    if (const auto* error = std::get_if<protocol::Error>(&plan)) {
      throw std::runtime_error(error->message);
    }
    auto& planned = std::get<StreamPlan>(plan);
    warnings.insert(warnings.end(), planned.warnings.begin(), planned.warnings.end());
    return std::move(planned.tracks.front());
  }

  TrackSetting setting() const {
    return {.model = 0,
            .model_name = model_.info().name,
            .tokenizers = model_.tokenizers(),
            .sentence_tokens = model_.info().max_source_tokens,
            .policy = plan_.policy,
            .lag = plan_.lag};
  }

  // As the daemon's are where nothing is configured; but where the log says what its sentences are,
  // neither silence nor length ends them before.
  SessionOptions options(const protocol::Start& start, const TimedLog& talk) const {
    const DaemonConfig config;
    SessionOptions options;
    options.stream = model_.next_stream();
    options.tracks.push_back({"", setting()});
    options.source_form = start.source_form;
    options.sentence_words = config.sentence_words;
    options.message_words = config.queued_words;
    options.silence = Seconds(talk.sentences.empty() ? config.sentence_silence : 0);
    for (const int words : talk.sentences) {
      options.sentence_words = std::max(options.sentence_words, words);
    }
    return options;
  }

  void fall_silent(TimePoint now) {
    if (const auto end = session_.deadline(); end && *end <= now) {
      session_.tick(*end);
      settle(*end);
    }
  }

  void say(const TimedText& timed, TimePoint now) {
    for (const protocol::Configure& change : timed.changes) {
      configure(change);
    }
    if (timed.words > 0) {
      report_.sent(timed.words, std::nullopt);
      recorder_.said(timed.words, milliseconds(now));
      require(session_.receive(protocol::Source{++seq_, timed.text, timed.clock}, now));
    }
    if (timed.ends_sentence) {
      require(session_.receive(protocol::EndSentence(), now));
    }
    settle(now);
  }

  void configure(const protocol::Configure& change) {
    auto changed = plan_change(change, plan_, {session_.next_source_form(), /*attention=*/false},
                               std::span(&model_.info(), 1));
    if (const auto* error = std::get_if<protocol::Error>(&changed)) {
      throw std::runtime_error("the log's change of policy: " + error->message);
    }
    plan_ = std::get<ChangePlan>(std::move(changed)).track;
    if (change.source_form) {
      session_.configure(*change.source_form);
    }
    session_.configure(0, setting());
  }

  // Until nothing more can be written.
  void settle(TimePoint now) {
    for (;;) {
      SessionOutput output = session_.take_output();
      for (const Outgoing& outgoing : output.messages) {
        take(outgoing.message, now);
      }
      if (output.commands.empty()) {
        return;
      }
      for (const TranslationEvent& event : model_.translate(std::move(output.commands[0]))) {
        require(session_.translated(event, now));
      }
    }
  }

  void take(const protocol::ServerMessage& message, TimePoint now) {
    if (const auto* write = std::get_if<protocol::Write>(&message)) {
      recorder_.write(*write, milliseconds(now));
      tokens_ = write->index + 1;
    } else if (const auto* sentence = std::get_if<protocol::Sentence>(&message)) {
      recorder_.complete(*sentence, {});
      report_.completed(*sentence, std::exchange(tokens_, 0), {});
    } else if (std::holds_alternative<protocol::Error>(message)) {
      report_.error();
    }
  }

  static double milliseconds(TimePoint now) { return milliseconds_between(TimePoint(), now); }

  OfflineModel& model_;
  ReplayReport& report_;
  TrackPlan plan_;
  Session session_;
  RunRecorder recorder_;
  std::int64_t seq_ = 0;
  int tokens_ = 0;  // of the open sentence
};

}  // namespace

OfflineModel::OfflineModel(const std::filesystem::path& package, const TranslatorOptions& options)
    : tokenizers_(open_text_model(package, "").package.tokenizers) {
  BatchLoopOptions loop;
  loop.deliver = [this](std::vector<TranslationEvent> events) {
    const std::lock_guard lock(mutex_);
    for (TranslationEvent& event : events) {
      is_settled_ = is_settled_ || event.settled;
      if (!event.settled) {
        events_.push_back(std::move(event));
      }
    }
    settled_.notify_one();
  };
  loop_ = std::make_unique<BatchLoop>([&] { return load_translator(package, options); },
                                      std::move(loop));
}

std::vector<TranslationEvent> OfflineModel::translate(std::vector<TranslationCommand> commands) {
  commands.push_back({TranslationCommand::Kind::kSettle, {}, nullptr, {}});
  {
    const std::lock_guard lock(mutex_);
    is_settled_ = false;
  }
  loop_->submit(commands);
  std::unique_lock lock(mutex_);
  settled_.wait(lock, [this] { return is_settled_; });
  return std::exchange(events_, {});
}

RecordedRun run_offline(OfflineModel& model, const protocol::Start& start, const TimedLog& talk,
                        ReplayReport& report, std::vector<std::string>& warnings) {
  return OfflineStream(model, start, talk, report, warnings).say(talk);
}

}  // namespace surtitle
