#include "daemon/pipe/pipe_run.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include "daemon/base/text.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

// After this time without input, the recogniser's current output counts as complete; see
// Recogniser::pause().
constexpr std::chrono::milliseconds kPause{50};

}  // namespace

PipeRun::PipeRun(const asio::any_io_executor& executor, PipeOptions options,
                 std::shared_ptr<PipeInput> input)
    : executor_(executor),
      options_(std::move(options)),
      client_(std::make_shared<ResumingClient>(
          executor, ResumingClientOptions{options_.url, options_.start, options_.warn})),
      input_(std::move(input)),
      printer_(options_.out, SubtitlePrinter::Style::kPlain),
      source_form_(options_.start.source_form) {}

asio::awaitable<void> PipeRun::run() {
  co_await client_->open();
  while (true) {
    const std::optional<ResumingClient::Received> received = co_await client_->read();
    if (!received) {
      break;
    }
    on_message(*received);
  }
  over_ = true;
  input_->stop();
  if (options_.output == PipeOutput::kText) {
    printer_.finish();
    put_later_lines();
  }
  if (revised_words_ > 0) {
    options_.warn("the recogniser changed " + counted(revised_words_, "word") +
                  " after the commit; the translation is unchanged");
  }
  if (long_sentences_ > 1) {
    options_.warn("too long and divided: " + counted(long_sentences_, "sentence"));
  }
  if (untranslated_words_ > 0) {
    options_.warn("the model left out " + counted(untranslated_words_, "word"));
  }
  if (const int error = output_error_ != 0 ? output_error_ : printer_.error(); error != 0) {
    if (error == EPIPE) {
      co_return;  // the reader has closed the output, which is no failure
    }
    throw std::runtime_error("cannot write the translation: " +
                             std::generic_category().message(error));
  }
  if (failed_) {
    std::rethrow_exception(failed_);
  }
  if (const auto failure = client_->failure()) {
    throw std::runtime_error(*failure);
  }
}

void PipeRun::stop() noexcept {
  input_->finish();
  if (std::exchange(stopped_, true)) {
    client_->close();
  }
}

// --- in ---

asio::awaitable<void> PipeRun::send_input(protocol::Limits limits) {
  MessageBuilder builder(limits.message_bytes, limits.queued_words, options_.speech);
  const RecogniserSettings settings{options_.input, options_.warn};
  bool more = true;
  while (more) {
    co_await send_recognised(settings, builder);
    more = false;
    if (!failed_ && !over_) {
      more = co_await input_->reopen();
    }
  }
  if (builder.replaced() > 0) {
    options_.warn(settings.input + " has invalid UTF-8, which was replaced by U+FFFD");
  }
  const protocol::ClientMessage finish = protocol::Finish();
  co_await client_->send(finish);
}

asio::awaitable<void> PipeRun::send_recognised(const RecogniserSettings& settings,
                                               MessageBuilder& builder) {
  const std::unique_ptr<Recogniser> recogniser =
      make_recogniser(*options_.format, settings, builder);
  try {
    co_await send_input(*recogniser, builder);
  } catch (const std::exception&) {
    failed_ = std::current_exception();  // reported after the input before it is translated
  }
  try {
    recogniser->finish();
  } catch (const std::exception& error) {
    if (failed_) {
      options_.warn(error.what());
    } else {
      failed_ = std::current_exception();
    }
  }
  co_await send(builder);
}

asio::awaitable<void> PipeRun::send_input(Recogniser& recogniser, MessageBuilder& builder) {
  std::optional<std::chrono::milliseconds> longest;  // maximum time to wait; nullopt: no limit
  while (!over_) {
    const std::optional<std::string> bytes = co_await input_->read(longest);
    if (bytes && bytes->empty()) {
      co_return;
    }
    if (bytes) {
      recogniser.feed(*bytes);
      longest = kPause;
    } else {
      recogniser.pause();
      longest.reset();
    }
    co_await send(builder);
  }
}

asio::awaitable<void> PipeRun::send(MessageBuilder& builder) {
  for (protocol::ClientMessage& message : builder.drain()) {
    if (const auto* configure = std::get_if<protocol::Configure>(&message);
        configure != nullptr && !is_needed(*configure)) {
      continue;
    }
    if (auto* source = std::get_if<protocol::Source>(&message)) {
      set_time(source->time);
    } else if (auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
      set_time(hypothesis->time);
    }
    const bool sent = co_await client_->send(message);
    over_ = over_ || !sent;
  }
}

void PipeRun::set_time(std::optional<double>& time) {
  time = input_->time_of(time);
  last_word_end_ = time ? time : last_word_end_;
}

// Reports a change of the form of the input. Returns whether the daemon does not know it yet.
bool PipeRun::is_needed(const protocol::Configure& configure) {
  const TextForm form = configure.source_form.value_or(source_form_);
  if (options_.source_form_given) {
    return false;
  }
  if (std::exchange(reported_form_, form) != form) {
    options_.warn(std::string("the words of the input have ") +
                  (form == TextForm::kSpoken ? "no case and punctuation" : "case or punctuation") +
                  " and are translated as " + std::string(name(form)) +
                  "; --source-form overrides this");
  }
  return std::exchange(source_form_, form) != form;
}

// --- out ---

void PipeRun::on_message(const ResumingClient::Received& received) {
  const auto& [message, text] = received;
  if (options_.observe) {
    options_.observe(message);
  }
  if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
    on_message(*ready);
  } else if (const auto* write = std::get_if<protocol::Write>(&message)) {
    on_message(*write, text);
  } else if (const auto* sentence = std::get_if<protocol::Sentence>(&message)) {
    on_message(*sentence, text);
  } else if (const auto* revision = std::get_if<protocol::Revision>(&message)) {
    on_message(*revision, text);
  } else if (std::holds_alternative<protocol::Attention>(message) &&
             options_.output == PipeOutput::kJsonLines) {
    put_line(text);
  } else if (const auto* error = std::get_if<protocol::Error>(&message);
             error != nullptr && protocol::is_notice(error->code)) {
    const bool is_known =
        error->code == protocol::ErrorCode::kSentenceTooLong && long_sentences_++ > 0;
    if (!is_known) {
      options_.warn(error->message);
    }
  }
  if (output_error_ != 0 || printer_.error() != 0) {
    client_->close();
  }
}

void PipeRun::on_message(const protocol::Ready& ready) {
  for (const std::string& warning : ready.warnings) {
    options_.warn(warning);
  }
  ready_ = Clock::now();
  asio::co_spawn(executor_, send_input(ready.limits),
                 [self = shared_from_this()](const std::exception_ptr&) {});
}

void PipeRun::on_message(const protocol::Write& write, std::string_view text) {
  switch (options_.output) {
    case PipeOutput::kText:
      if (write.track.empty()) {
        writing_ = true;
        printer_.write(write);
      }
      return;
    case PipeOutput::kJsonLines:
      return put_line(text);
    case PipeOutput::kSimulStreaming:
      if (write.track.empty()) {
        put_line(rows_.write(write, row_times()));
      }
      return;
  }
}

void PipeRun::on_message(const protocol::Sentence& sentence, std::string_view text) {
  untranslated_words_ += static_cast<std::size_t>(sentence.untranslated);
  switch (options_.output) {
    case PipeOutput::kText:
      if (!sentence.track.empty()) {
        return put_other_track(sentence);
      }
      writing_ = false;
      printer_.sentence(sentence);
      return put_later_lines();
    case PipeOutput::kJsonLines:
      return put_line(text);
    case PipeOutput::kSimulStreaming:
      if (sentence.track.empty()) {
        put_line(rows_.sentence(row_times()));
      }
      return;
  }
}

void PipeRun::on_message(const protocol::Revision& revision, std::string_view text) {
  revised_words_ += split_words(revision.committed).size();
  if (options_.output == PipeOutput::kJsonLines) {
    put_line(text);
  }
}

RowTimes PipeRun::row_times() const {
  return {std::chrono::duration<double>(Clock::now() - ready_).count(), last_word_end_};
}

void PipeRun::put_other_track(const protocol::Sentence& sentence) {
  later_lines_.push_back("[" + sentence.track + "] " + sentence.target);
  if (!writing_) {
    put_later_lines();
  }
}

void PipeRun::put_later_lines() {
  for (const std::string& line : std::exchange(later_lines_, {})) {
    put_line(line);
  }
}

void PipeRun::put_line(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), options_.out) != text.size() ||
      std::fputc('\n', options_.out) == EOF || std::fflush(options_.out) != 0) {
    output_error_ = errno;
  }
}

}  // namespace surtitle
