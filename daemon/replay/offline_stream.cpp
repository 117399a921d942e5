#include "daemon/replay/offline_stream.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "daemon/config/daemon_config.h"
#include "daemon/replay/run_recorder.h"
#include "daemon/translation/session.h"
#include "daemon/translation/stream_plan.h"

namespace surtitle {
namespace {

class OfflineStream {
 public:
  OfflineStream(OfflineModels& models, const protocol::Start& start, const TimedTranscript& talk,
                ReplayReport& report, std::vector<std::string>& warnings, WriteTimes times)
      : models_(models),
        times_(times),
        report_(report),
        terms_(make_terms(start.glossary, start.source)),
        plan_(plan(start, talk, warnings)),
        sentence_words_(longest_sentence(talk)),
        session_(options(start, talk), {}) {}
  OfflineStream(const OfflineStream&) = delete;
  OfflineStream& operator=(const OfflineStream&) = delete;
  ~OfflineStream() {
    for (const auto& [model, sentences] : session_.open_sentences()) {
      models_[model].cancel_sentences(sentences);
    }
  }

  RecordedRun run(const TimedTranscript& talk) {
    const TrackPlan first = plan_;
    TimePoint now;
    for (const TimedText& timed : talk.texts) {
      now = TimePoint() + to_duration(Seconds(timed.time));
      end_on_silence(now);
      send(timed, now);
    }
    session_.finish(now);
    wait_idle(now);
    return {.name = "",
            .model = info_of(first).name,
            .policy = first.policy_spec(),
            .sentences = recorder_.sentences(),
            .terms = terms_found_,
            .written_terms = terms_written_};
  }

 private:
  static void require(const std::optional<protocol::Error>& error) {
    if (error) {
      throw std::runtime_error(error->message);
    }
  }

  // Loads all models that the talk names before it begins.
  TrackPlan plan(protocol::Start start, const TimedTranscript& talk,
                 std::vector<std::string>& warnings) {
    const std::size_t first = models_.find(*start.model);
    start.model = models_.infos()[first].name;
    for (const TimedText& timed : talk.texts) {
      for (const protocol::Configure& change : timed.changes) {
        if (change.model) {
          models_.find(*change.model);
        }
      }
    }
    std::variant<StreamPlan, protocol::Error> plan = plan_stream(start, models_.infos(), {});
    if (const auto* error = std::get_if<protocol::Error>(&plan)) {
      throw std::runtime_error(error->message);
    }
    auto& planned = std::get<StreamPlan>(plan);
    warnings.insert(warnings.end(), planned.warnings.begin(), planned.warnings.end());
    return std::move(planned.tracks.front());
  }

  const ModelInfo& info_of(const TrackPlan& plan) const { return models_.infos()[plan.model]; }

  TrackSetting setting() const {
    return {.model = plan_.model,
            .model_name = info_of(plan_).name,
            .source_language = info_of(plan_).source_language,
            .target_language = info_of(plan_).target_language_at(plan_.model_target),
            .target = plan_.model_target,
            .tokenizers = models_[plan_.model].tokenizers(),
            .sentence_tokens = info_of(plan_).max_source_tokens,
            .trained_words = sentence_words_ > 0 ? sentence_limit() : info_of(plan_).trained_words,
            .watches_starts = sentence_words_ == 0 && info_of(plan_).watches_starts,
            .policy = plan_.policy,
            .lag = plan_.lag,
            .terms = terms_,
            .placeholders = info_of(plan_).placeholders};
  }

  static int longest_sentence(const TimedTranscript& talk) {
    return talk.sentences.empty() ? 0
                                  : *std::max_element(talk.sentences.begin(), talk.sentences.end());
  }

  // Returns the limit of a sentence's words if the log defines its sentences: twice their length,
  // as the soft limit is below the limit.
  int sentence_limit() const { return 2 * sentence_words_; }

  // Returns the options of a daemon with default settings. If the log defines its sentences,
  // neither silence nor length nor the model ends them earlier.
  SessionOptions options(const protocol::Start& start, const TimedTranscript& talk) const {
    const DaemonConfig config;
    SessionOptions options;
    options.stream = models_.next_stream();
    options.tracks.push_back({"", setting()});
    options.source_language = start.source;
    options.source_form = start.source_form;
    options.masks = make_masks(start.glossary, start.source);
    options.sentence_words = config.sentence_words;
    options.message_words = config.queued_words;
    options.silence = Seconds(talk.sentences.empty() ? config.sentence_silence : 0);
    options.sentence_words = std::max(options.sentence_words, sentence_limit());
    return options;
  }

  void end_on_silence(TimePoint now) {
    if (const auto end = session_.deadline(); end && *end <= now) {
      session_.on_deadline(*end);
      wait_idle(*end);
    }
  }

  void send(const TimedText& timed, TimePoint now) {
    for (const protocol::Configure& change : timed.changes) {
      configure(change);
    }
    if (timed.words > 0) {
      report_.sent(timed.words, std::nullopt);
      recorder_.sent(timed.words, milliseconds(now));
      require(session_.receive(protocol::Source{++seq_, timed.text, timed.clock}, now));
    }
    if (timed.ends_sentence) {
      require(session_.receive(protocol::EndSentence(), now));
    }
    wait_idle(now);
  }

  void configure(const protocol::Configure& change) {
    auto changed = plan_change(change, plan_, {session_.next_source_form(), /*attention=*/false},
                               models_.infos());
    if (const auto* error = std::get_if<protocol::Error>(&changed)) {
      throw std::runtime_error("change of model or policy in the log: " + error->message);
    }
    plan_ = std::get<ChangePlan>(std::move(changed)).track;
    if (change.source_form) {
      session_.configure(*change.source_form);
    }
    session_.configure(0, setting());
  }

  // Runs the models until they cannot write any more tokens.
  void wait_idle(TimePoint now) {
    for (;;) {
      const Clock::time_point began = Clock::now();
      SessionOutput output = session_.take_output();
      for (const Outgoing& outgoing : output.messages) {
        on_message(outgoing.message, now);
      }
      for (const CompletedScores& completed : output.completed) {
        terms_found_ += completed.terms;
        terms_written_ += completed.written_terms;
      }
      if (output.commands.empty()) {
        return;
      }
      for (auto& [model, commands] : output.commands) {
        for (const TranslationEvent& event : models_[model].translate(std::move(commands))) {
          require(session_.translated(event, now));
        }
      }
      idle_at_ = std::max(now, idle_at_) + (Clock::now() - began);
    }
  }

  void on_message(const protocol::ServerMessage& message, TimePoint now) {
    if (const auto* write = std::get_if<protocol::Write>(&message)) {
      const bool measured = times_ == WriteTimes::kMeasured;
      const double time = milliseconds(measured ? std::max(now, idle_at_) : now);
      recorder_.write(*write, time);
      if (measured) {
        delays_.push_back(static_cast<float>(time - milliseconds(now)));
      }
      tokens_ = write->index + 1;
    } else if (const auto* sentence = std::get_if<protocol::Sentence>(&message)) {
      recorder_.complete(*sentence, std::exchange(delays_, {}));
      report_.completed(*sentence, std::exchange(tokens_, 0), {});
    } else if (std::holds_alternative<protocol::Error>(message)) {
      report_.error();
    }
  }

  static double milliseconds(TimePoint now) { return milliseconds_between(TimePoint(), now); }

  OfflineModels& models_;
  const WriteTimes times_;
  TimePoint idle_at_;  // when the computation so far is over, on the log's clock
  ReplayReport& report_;
  const std::shared_ptr<const TermList> terms_;
  TrackPlan plan_;
  const int sentence_words_;  // of the longest sentence that the log defines; 0: it defines none
  Session session_;
  RunRecorder recorder_;
  std::int64_t seq_ = 0;
  int terms_found_ = 0;
  int terms_written_ = 0;
  // Of the open sentence:
  std::vector<float> delays_;  // of its writes, if they are measured
  int tokens_ = 0;
};

}  // namespace

RecordedRun run_offline(OfflineModels& models, const protocol::Start& start,
                        const TimedTranscript& talk, ReplayReport& report,
                        std::vector<std::string>& warnings, WriteTimes times) {
  return OfflineStream(models, start, talk, report, warnings, times).run(talk);
}

}  // namespace surtitle
