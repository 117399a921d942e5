#include "daemon/translation/session.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "daemon/base/terminal_text.h"
#include "daemon/base/text.h"
#include "model/text/unspaced.h"
#include "model/text/word_runs.h"
#include "model/text/words.h"

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

namespace {

constexpr std::size_t kMaxWord = 512;  // bytes
constexpr int kWaits = -1;             // the sentence of a word that waits

std::optional<std::int64_t> seq_of(const protocol::ClientMessage& message) {
  if (const auto* source = std::get_if<protocol::Source>(&message)) {
    return source->seq;
  }
  if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
    return hypothesis->seq;
  }
  if (const auto* end = std::get_if<protocol::EndSentence>(&message)) {
    return end->seq;
  }
  return std::nullopt;
}

// Escape sequences and control characters are no words, whatever sent them.
protocol::ClientMessage without_controls(protocol::ClientMessage message) {
  const auto clean = [](std::string& text) { text = surtitle::without_controls(text); };
  if (auto* source = std::get_if<protocol::Source>(&message)) {
    clean(source->text);
  } else if (auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
    clean(hypothesis->text);
  } else if (auto* tail = std::get_if<protocol::Tail>(&message)) {
    clean(tail->text);
  }
  return message;
}

// Returns the run of each of some words that arrive together. Words may begin with a space
// (split_words_with_spaces()).
std::vector<WordRun> runs_of(const std::vector<std::string>& words) {
  std::vector<WordRun> runs;
  while (runs.size() < words.size()) {
    const auto rest = std::span(words).subspan(runs.size());
    const auto run = rest.first(run_length(rest));
    const auto shared =
        run.size() > 1 || run.front().starts_with(' ')
            ? std::make_shared<const std::vector<std::string>>(run.begin(), run.end())
            : nullptr;
    for (std::size_t place = 0; place < run.size(); ++place) {
      runs.push_back({shared, place});
    }
  }
  return runs;
}

}  // namespace

Session::Session(SessionOptions options, TimePoint ready)
    : options_(std::move(options)),
      ready_(ready),
      source_form_(options_.source_form),
      next_source_form_(options_.source_form),
      masks_(options_.masks),
      next_masks_(options_.masks),
      hypotheses_(options_.agreement),
      splitter_(options_.source_language),
      limit_(options_.sentence_words, kDefaultTrainedWords),
      undivided_(!options_.target_prefix.empty()),
      last_source_(ready) {
  for (const TrackOptions& track : options_.tracks) {
    tracks_.emplace_back(track.name,
                         TranslationTrack::Key{options_.stream, static_cast<int>(tracks_.size())},
                         track.setting, ready, options_.open_sentences,
                         tracks_.empty() ? options_.target_prefix : std::string());
  }
}

// --- source ---

std::optional<Error> Session::receive(const protocol::ClientMessage& received, TimePoint now) {
  const protocol::ClientMessage message = without_controls(received);
  if (finished_ && std::holds_alternative<protocol::Finish>(message)) {
    return std::nullopt;  // repeated by a sender that does not know whether it was received
  }
  if (finished_) {
    return Error{ErrorCode::kOutOfOrder,
                 "received a message after finish; finish must be the last message"};
  }
  if (std::holds_alternative<protocol::Start>(message)) {
    return Error{ErrorCode::kOutOfOrder,
                 "received a second start; a stream must have one, at its beginning"};
  }
  if (std::optional<Error> error = refuse(message)) {
    return error;
  }
  const std::optional<std::int64_t> seq = seq_of(message);
  last_seq_ = seq.value_or(last_seq_);
  if (const auto* source = std::get_if<protocol::Source>(&message)) {
    add_text(source->text, source->time, now);
  } else if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
    add_hypothesis(*hypothesis, now);
  } else if (std::holds_alternative<protocol::EndSentence>(message)) {
    request_end(now);
  } else if (std::holds_alternative<protocol::Finish>(message)) {
    finish(now);
  }
  if (seq) {
    emit(Audience::kSender, protocol::Ack{*seq});
  }
  flush_tracks(now);
  if (const auto* tail = std::get_if<protocol::Tail>(&message)) {
    last_source_ = now;
    tails_.push_back(tail->text);
    read_tails();
  }
  return std::nullopt;
}

std::optional<Error> Session::refuse(const protocol::ClientMessage& message) const {
  if (const std::optional<std::int64_t> seq = seq_of(message); seq && *seq <= last_seq_) {
    return Error{ErrorCode::kBadSequence, "seq " + std::to_string(*seq) +
                                              " must be a whole number above " +
                                              std::to_string(last_seq_)};
  }
  if (const auto* source = std::get_if<protocol::Source>(&message)) {
    return refuse(source->text);
  }
  if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
    return refuse(hypothesis->text);
  }
  if (const auto* tail = std::get_if<protocol::Tail>(&message)) {
    return refuse(tail->text);
  }
  return std::nullopt;
}

void Session::finish(TimePoint now) {
  if (!finished_) {
    last_source_ = now;
    word_time_ = source_time({}, now);
    for (std::string& word : hypotheses_.finish()) {
      add_next_word({.text = std::move(word), .time = {word_time_, now}});
    }
    request_end(now);
    finished_ = true;
    flush_tracks(now);
  }
}

std::optional<TimePoint> Session::deadline() const {
  if (finished_ || options_.silence <= Seconds::zero() || sentence_words_ == 0 || holds_words()) {
    return std::nullopt;
  }
  return std::max(last_source_, back_) + to_duration(limit_.silence(options_.silence));
}

void Session::on_deadline(TimePoint now) {
  const std::optional<TimePoint> end = deadline();
  if (end && now >= *end) {
    end_sentence(now);
    flush_tracks(now);
  }
}

// The number of words is limited because each word may be a sentence, and each sentence sends a
// message to each viewer.
std::optional<Error> Session::refuse(std::string_view text) const {
  const std::size_t words = split_words(text).size();
  if (words <= static_cast<std::size_t>(options_.message_words)) {
    return std::nullopt;
  }
  return Error{ErrorCode::kMessageTooLarge, "the message has " + std::to_string(words) +
                                                " words; allowed: at most " +
                                                std::to_string(options_.message_words) +
                                                " (queued_words); send several messages"};
}

void Session::add_text(std::string_view text, std::optional<double> time, TimePoint now) {
  last_source_ = now;
  word_time_ = source_time(time, now);
  add_words(text, now);
  show_source();
  undivided_ = undivided_ && sentence_words_ == 0;
}

void Session::add_words(std::string_view text, TimePoint now) {
  const std::vector<std::string_view> words = split_words(text);
  const std::vector<bool> capitals = capitals_.mark(words);
  std::vector<WordRun> runs = runs_of(split_words_with_spaces(text));
  for (std::size_t i = 0; i < words.size(); ++i) {
    add_next_word({.text = std::string(words[i]),
                   .time = {word_time_, now},
                   .run = std::move(runs[i]),
                   .in_capitals = capitals[i]});
  }
}

// Lets the tracks read the tails, once all words before them are in sentences.
void Session::read_tails() {
  if (!holds_words()) {
    for (const std::string& tail : std::exchange(tails_, {})) {
      read_ahead(tail);
    }
  }
}

// The words of the tail are no source yet: no sentence ends by them.
void Session::read_ahead(std::string_view text) {
  std::vector<std::vector<TranslationTrack::Word>> words(tracks_.size());
  const std::vector<std::string_view> all = split_words(text);
  const std::vector<WordRun> runs = runs_of(split_words_with_spaces(text));
  for (std::size_t at = 0; at < all.size(); ++at) {
    const std::string one =
        shown(all[at].substr(0, character_begin(all[at], std::min(all[at].size(), kMaxWord))));
    Encoded encoded = encode(one, one == all[at] ? runs[at] : WordRun());
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      words[i].push_back({one, std::move(encoded[i])});
    }
  }
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    tracks_[i].read_ahead(std::move(words[i]), open_form(), output_);
  }
}

void Session::add_hypothesis(const protocol::Hypothesis& hypothesis, TimePoint now) {
  last_source_ = now;
  word_time_ = source_time(hypothesis.time, now);
  HypothesisCommit::Update update = hypotheses_.update(hypothesis.text, hypothesis.final);
  for (HypothesisCommit::Revision& revision : update.revisions) {
    const int sentence = committed_in_[revision.first];
    emit(Audience::kBoth,
         protocol::Revision{sentence == kWaits ? sentence_ : sentence,
                            shown_text(revision.committed), shown_text(revision.heard)});
  }
  capitals_.expect(split_words(hypothesis.text));
  std::vector<WordRun> runs = runs_of(update.read);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    committed_in_.push_back(kWaits);
    const bool in_capitals = capitals_.mark({update.words[i]}).front();
    add_next_word({.text = std::move(update.words[i]),
                   .time = {word_time_, now},
                   .index = committed_in_.size() - 1,
                   .hypothesis = hypothesis_,
                   .run = std::move(runs[i]),
                   .in_capitals = in_capitals});
  }
  show_source();
  if (hypothesis.final) {
    committed_in_.clear();
    ++hypothesis_;
    if (hypothesis.end_sentence) {
      request_end(now);
    }
  }
}

void Session::add_next_word(StartWatch::Word word) {
  watch_.add(std::move(word));
  place_words();
}

void Session::place_words() {
  do {
    while (watch_.ready()) {
      place(watch_.next());
    }
    ask_watch();
  } while (watch_.ready());
}

void Session::place(const StartWatch::Word& word) {
  const std::string& text = word.text;
  if (text.empty() ||
      ((splitter_.ends_before(text) || limit_.ends_before_next(word.start)) && !undivided_)) {
    end_sentence(word.time.arrival);
  }
  if (text.empty()) {
    return;
  }
  const std::string visible = shown(text);
  in_capitals_ = word.in_capitals;
  add_word(visible, word.time, visible == text ? word.run : WordRun());
  in_capitals_ = false;
  if (word.hypothesis == hypothesis_) {
    committed_in_[word.index] = sentence_;
  }
  limit_.append(text);
  if (splitter_.append(text) && !undivided_) {
    end_sentence(word.time.arrival);
  }
}

// Begins the watch of the open sentence, if a track's model has the classifier.
void Session::begin_watch(const Encoded& encoded) {
  if (source_form_ != TextForm::kSpoken || watch_.open()) {
    return;
  }
  for (watched_track_ = 0; watched_track_ < tracks_.size(); ++watched_track_) {
    const TrackSetting& setting = tracks_[watched_track_].current();
    if (setting.watches_starts && !encoded[watched_track_].empty()) {
      watch_.begin({options_.stream, kWatchTrack, sentence_}, setting.model,
                   setting.sentence_tokens, encoded[watched_track_], output_.commands);
      return;
    }
  }
}

SentenceLimit Session::new_limit() const {
  int words = tracks_.front().current().trained_words;
  for (const TranslationTrack& track : tracks_) {
    words = std::min(words, track.current().trained_words);
  }
  return {options_.sentence_words, words};
}

void Session::ask_watch() {
  const auto encode = [this](std::string_view word) {
    const std::string spoken = spoken_word(word);
    return spoken.empty() || spoken.size() > kMaxWord ? std::vector<int>()
                                                      : tracks_[watched_track_].encode(spoken);
  };
  watch_.ask(encode, output_.commands);
}

void Session::add_word(std::string_view word, const WordTime& time, const WordRun& run) {
  // A tokenizer is slow on such long words, and below it would run again for each half.
  while (word.size() > kMaxWord) {
    const std::size_t end = character_begin(word, kMaxWord);
    add_word(word.substr(0, end), time);
    word.remove_prefix(end);
  }
  const Encoded encoded = encode(word, run);
  if (too_long(encoded)) {
    // A word that does not fit into any sentence is divided into halves, which count as words.
    const std::size_t half = character_begin(word, word.size() / 2);
    if (half > 0) {
      add_word(word.substr(0, half), time);
      add_word(word.substr(half), time);
    }
    return;
  }
  if (sentence_words_ > 0 && !fits(encoded)) {
    int tokens = tracks_.front().sentence_tokens();
    for (const TranslationTrack& track : tracks_) {
      tokens = std::min(tokens, track.sentence_tokens());
    }
    emit(Audience::kSender,
         Error{ErrorCode::kSentenceTooLong,
               "sentence " + std::to_string(sentence_) + " is longer than " +
                   std::to_string(options_.sentence_words) + " words or " + std::to_string(tokens) +
                   " tokens; it ends here and the next word begins a new one"});
    end_sentence(time.arrival);
    add_word(word, time, run);  // the next sentence may have another tokenizer
    return;
  }
  add_word(word, encoded, time);
}

Session::Encoded Session::encode(std::string_view word, const WordRun& run) const {
  std::vector<std::string> words =
      run.words ? *run.words : std::vector<std::string>{std::string(word)};
  if (open_form() == TextForm::kSpoken) {
    for (std::string& one : words) {
      one = spoken_word(one);
    }
  } else if (in_capitals_) {
    for (std::string& one : words) {
      one = lower_word(one);
    }
  }
  Encoded encoded;
  for (const TranslationTrack& track : tracks_) {
    encoded.push_back(words[run.place].empty()
                          ? std::vector<int>()
                          : track.encode(words, run.place, /*begins=*/sentence_words_ == 0));
  }
  return encoded;
}

// Returns the form of the open sentence, or of the next one if none is open.
TextForm Session::open_form() const {
  return sentence_words_ == 0 ? next_source_form_ : source_form_;
}

// Returns the word as everybody may see it.
std::string Session::shown(std::string_view word) const {
  const auto& masks = sentence_words_ == 0 ? next_masks_ : masks_;
  return masks ? masked(*masks, word) : std::string(word);
}

std::string Session::shown_text(const std::string& text) const {
  return masks_ ? masked_text(*masks_, text) : text;
}

bool Session::too_long(const Encoded& encoded) const {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (encoded[i].size() > static_cast<std::size_t>(tracks_[i].sentence_tokens())) {
      return true;
    }
  }
  return false;
}

bool Session::fits(const Encoded& encoded) const {
  bool fit = sentence_words_ < options_.sentence_words;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    fit = fit && tracks_[i].fits(encoded[i].size());
  }
  return fit;
}

void Session::add_word(std::string_view word, const Encoded& encoded, const WordTime& time) {
  if (sentence_words_ == 0) {
    ++sentence_;
    source_form_ = next_source_form_;
    masks_ = next_masks_;
  }
  unseen_time_ = time;
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    tracks_[i].add_word(word, encoded[i], source_form_, time.clock, time.arrival);
    pieces = std::max(pieces, encoded[i].size());
  }
  if (sentence_words_ == 0) {
    limit_ = new_limit();
  }
  source_pieces_ += static_cast<int>(pieces);
  unseen_.append(space_between(unseen_, word)).append(word);
  ++sentence_words_;
  ++source_words_;
  begin_watch(encoded);
}

void Session::show_source() {
  if (!unseen_.empty()) {
    emit(options_.echo ? Audience::kBoth : Audience::kViewers,
         protocol::SourceMessage{sentence_, std::exchange(unseen_, {}), unseen_time_.clock,
                                 milliseconds_between(ready_, unseen_time_.arrival)});
  }
}

void Session::request_end(TimePoint now) {
  watch_.add({.text = {}, .time = {word_time_, now}});
  place_words();
}

void Session::end_sentence(TimePoint now) {
  if (sentence_words_ > 0) {
    show_source();
    output_.ends.push_back({sentence_, milliseconds_between(ready_, now), output_.messages.size()});
    sentence_words_ = 0;
    splitter_.begin_sentence();
    watch_.end(output_.commands);
    for (TranslationTrack& track : tracks_) {
      track.end_sentence(now);
    }
    limit_ = new_limit();
  }
}

// Returns the time of words that arrive now on the source's clock, rounded to a millisecond.
double Session::source_time(std::optional<double> given, TimePoint now) {
  const double time = source_clock_.time_of(given, milliseconds_between(ready_, now) / 1000);
  return std::round(time * 1000) / 1000;
}

// --- translation ---

void Session::configure(std::size_t track, TrackSetting setting,
                        std::vector<std::string> warnings) {
  tracks_[track].configure(std::move(setting), std::move(warnings), output_);
}

void Session::flush_tracks(TimePoint now) {
  for (TranslationTrack& track : tracks_) {
    track.flush(now, output_);
  }
}

// If a watch and tracks of its model, or two tracks of one model, open a sentence in the same
// output, its source is encoded once.
void Session::share_sources() {
  for (auto& [model, commands] : output_.commands) {
    std::map<int, SentenceKey> first;  // by sentence
    for (TranslationCommand& command : commands) {
      if (command.kind == TranslationCommand::Kind::kOpen) {
        const auto [entry, fresh] = first.try_emplace(command.key.sentence, command.key);
        command.shares_source_with = fresh ? std::nullopt : std::optional(entry->second);
      } else if (command.kind == TranslationCommand::Kind::kClose) {
        first.erase(command.key.sentence);
      }
    }
  }
}

std::optional<Error> Session::translated(const TranslationEvent& event, TimePoint now) {
  if (event.failure) {
    return Error{ErrorCode::kInternal, "the translation of sentence " +
                                           std::to_string(event.key.sentence) +
                                           " failed: " + *event.failure};
  }
  if (event.key.track == kWatchTrack) {
    watch_.translated(event);
    place_words();
    show_source();
    flush_tracks(now);
    read_tails();
  } else {
    tracks_[static_cast<std::size_t>(event.key.track)].translated(event, now, output_);
  }
  return std::nullopt;
}

bool Session::complete() const noexcept {
  return finished_ && watch_.empty() &&
         std::all_of(tracks_.begin(), tracks_.end(),
                     [](const TranslationTrack& track) { return track.complete(); });
}

int Session::queued_words() const noexcept {
  int words = 0;
  for (const TranslationTrack& track : tracks_) {
    words = std::max(words, track.queued_words());
  }
  return words + watch_.words();
}

// --- output ---

SessionOutput Session::take_output() {
  if (tracks_.size() > 1 || watch_.open()) {
    share_sources();
    open_in_order();
  }
  return std::exchange(output_, {});
}

// Sorts commands by sentence. Otherwise, a track's next sentence could hold a slot that another
// track's older sentence needs. Its source words would only be read after that older sentence.
void Session::open_in_order() {
  for (auto& [model, commands] : output_.commands) {
    std::stable_sort(commands.begin(), commands.end(),
                     [](const TranslationCommand& left, const TranslationCommand& right) {
                       return left.key.sentence < right.key.sentence;
                     });
  }
}

void Session::open_again() {
  // Before the sentence that it watches, which would otherwise wait in its slot for the watch.
  watch_.open_again(output_.commands);
  for (const TranslationTrack& track : tracks_) {
    track.open_again(output_);
  }
}

std::map<std::size_t, std::vector<SentenceKey>> Session::open_sentences() const {
  std::map<std::size_t, std::vector<SentenceKey>> keys;
  for (const TranslationTrack& track : tracks_) {
    track.add_open_sentences(keys);
  }
  watch_.add_open_sentence(keys);
  return keys;
}

void Session::emit(Audience audience, protocol::ServerMessage message) {
  output_.messages.push_back({audience, std::move(message), std::nullopt});
}

}  // namespace surtitle
