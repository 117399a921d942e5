#include "daemon/translation/translation_track.h"

#include <algorithm>
#include <utility>

#include "daemon/translation/model_word.h"
#include "daemon/translation/word_signs.h"
#include "daemon/translation/words_of_speech.h"
#include "model/text/mark_names.h"
#include "model/text/word_runs.h"

namespace surtitle {
namespace {

// A translation that leaves out this number of words at the end was ended too early. Fewer may be
// words without a counterpart, such as the second part of a German verb.
constexpr int kMinRest = 3;

// A placeholder may have this number of tokens more than its term.
constexpr std::size_t kPlaceholderTokens = 16;

constexpr const char* kEndPiece = "</s>";

int load_of(const SentenceState& sentence) {
  return words_of_speech(sentence.source_words(), sentence.source_tokens());
}

}  // namespace

TranslationTrack::TranslationTrack(std::string name, Key key, TrackSetting setting, TimePoint ready,
                                   int open_sentences, std::string prefix)
    : name_(std::move(name)),
      key_(key),
      ready_(ready),
      open_sentences_(static_cast<std::size_t>(open_sentences)),
      prefix_(std::move(prefix)),
      setting_(std::make_shared<const TrackSetting>(std::move(setting))),
      lag_(setting_->lag) {}

void TranslationTrack::configure(TrackSetting setting, std::vector<std::string> warnings,
                                 SessionOutput& output) {
  setting_ = std::make_shared<const TrackSetting>(std::move(setting));
  lag_ = setting_->lag;
  output.messages.push_back({Audience::kBoth,
                             protocol::PolicyChange{next_number_, setting_->model_name,
                                                    lag_ ? lag_->spec() : setting_->policy->spec(),
                                                    false, name_, std::move(warnings)},
                             std::nullopt});
}

void TranslationTrack::configure(std::shared_ptr<const TermList> terms) {
  TrackSetting setting = *setting_;
  setting.terms = std::move(terms);
  setting_ = std::make_shared<const TrackSetting>(std::move(setting));
}

// --- source ---

bool TranslationTrack::has_open_sentence() const {
  return !sentences_.empty() && !sentences_.back().state.source_ended();
}

const TrackSetting& TranslationTrack::current() const {
  return has_open_sentence() ? *sentences_.back().setting : *setting_;
}

std::vector<int> TranslationTrack::encode(std::string_view word) const {
  const std::string alone(word);
  return encode({&alone, 1}, 0, /*begins=*/false);
}

std::vector<int> TranslationTrack::encode(std::span<const std::string> run, std::size_t place,
                                          bool begins) const {
  std::vector<std::string> words;
  for (const std::string& word : run) {
    words.push_back(model_word(word, current().source_language));
  }
  return encode_run(*current().tokenizers.source,
                    std::vector<std::string_view>(words.begin(), words.end()), begins)[place];
}

bool TranslationTrack::fits(std::size_t tokens) const {
  const Pending& open = sentences_.back();
  std::size_t sum = static_cast<std::size_t>(open.state.source_tokens()) + tokens;
  for (const Word& held : open.held_words) {
    sum += held.tokens.size();
  }
  sum += open.state.terms().empty() ? 0 : (open.held_words.size() + 1) * kPlaceholderTokens;
  return sum <= static_cast<std::size_t>(open.setting->sentence_tokens);
}

SentenceGlossary TranslationTrack::glossary(TextForm form) const {
  const TrackSetting& setting = current();
  return {setting.terms, setting.placeholders, form == TextForm::kSpoken,
          setting.target_language.starts_with("en"), figure_language(setting.source_language)};
}

void TranslationTrack::add_word(std::string_view word, const std::vector<int>& tokens,
                                TextForm form, double clock, TimePoint now) {
  if (!has_open_sentence()) {
    sentences_.push_back(
        {.setting = setting_,
         .policy = lag_ ? lag_->policy() : setting_->policy,
         .state = SentenceState(next_number_++, setting_->tokenizers.target, glossary(form)),
         .written = prefix_tokens(),
         .prefix = std::exchange(prefix_, {})});
  }
  Pending& open = sentences_.back();
  Word added{std::string(word), tokens, clock, now};
  if (open.state.terms().empty()) {
    append_word(open, added, tokens, /*of_term=*/false);
    return;
  }
  open.held_words.push_back(std::move(added));
  append_words(open, open.state.terms().add(word));
}

// Returns the tokens that the model reads of a word. `room`: of the words before it that it stands
// for.
std::vector<int> TranslationTrack::tokens_of(const Word& word, const ModelText& text,
                                             std::size_t room) const {
  if (!text || text->empty()) {
    return text ? std::vector<int>() : word.tokens;
  }
  std::vector<int> tokens = encode(*text);
  const bool fits = tokens.size() <= word.tokens.size() + room + kPlaceholderTokens &&
                    tokens.size() <= static_cast<std::size_t>(sentence_tokens());
  return fits ? tokens : word.tokens;
}

// Adds the oldest of the held words, of which the model reads these texts.
void TranslationTrack::append_words(Pending& open, const std::vector<ModelText>& texts) {
  std::size_t room = 0;
  for (const ModelText& text : texts) {
    const Word word = std::move(open.held_words.front());
    open.held_words.pop_front();
    append_word(open, word, tokens_of(word, text, room), text.has_value());
    room = text && text->empty() ? room + word.tokens.size() : 0;
  }
}

void TranslationTrack::append_word(Pending& open, const Word& word, const std::vector<int>& tokens,
                                   bool of_term) {
  const bool is_read = std::any_of(tokens.begin(), tokens.end(), [&](int token) {
    return has_text(open.setting->tokenizers.source->piece(token));
  });
  const std::string& language = open.setting->source_language;
  const bool is_unknown = !is_read && has_text(model_word(word.text, language));
  if (!of_term && (is_unknown || loses_sign(word.text, language))) {
    open.unknown.push_back(open.state.source_words());
  } else {
    open.content.add(word.text);
  }
  queued_words_ -= load_of(open.state);
  open.state.add_word(word.text, static_cast<int>(tokens.size()), word.clock, word.arrival);
  queued_words_ += load_of(open.state);
  open.unsent.insert(open.unsent.end(), tokens.begin(), tokens.end());
  open.source.insert(open.source.end(), tokens.begin(), tokens.end());
}

// Returns the tokens of the prefix, as many as a translation may have.
std::vector<int> TranslationTrack::prefix_tokens() const {
  if (prefix_.empty()) {
    return {};
  }
  std::vector<int> tokens = tokenize(*setting_->tokenizers.target, prefix_).tokens;
  tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(setting_->sentence_tokens)));
  return tokens.empty() ? std::vector<int>{kUnknown} : tokens;
}

void TranslationTrack::end_sentence(TimePoint now) {
  Pending& open = sentences_.back();
  append_words(open, open.state.terms().end());
  open.state.end_source(now);
  open.content.end();
}

// --- to the translator ---

void TranslationTrack::flush(TimePoint now, SessionOutput& output) {
  const std::size_t count = std::min(sentences_.size(), open_sentences_);
  for (std::size_t i = 0; i < count; ++i) {
    send_commands_of(sentences_[i], output);
  }
  release_in_order(now, output);
}

SentenceKey TranslationTrack::key_of(const Pending& sentence) const {
  return {key_.stream, key_.track, sentence.state.number()};
}

void TranslationTrack::send_commands_of(Pending& sentence, SessionOutput& output) {
  using Kind = TranslationCommand::Kind;
  const SentenceKey key = key_of(sentence);
  const auto command = [&](Kind kind, PolicyPtr policy, std::vector<int> tokens) {
    output.commands[sentence.setting->model].push_back(
        {kind, key, std::move(policy), std::move(tokens), sentence.setting->attention});
  };
  if (!sentence.unsent.empty() && sentence.content.has_text()) {
    if (!sentence.opened) {
      command(Kind::kOpen, sentence.policy, {});
      TranslationCommand& open = output.commands[sentence.setting->model].back();
      open.forced = sentence.written;
      open.target = sentence.setting->target;
      sentence.opened = true;
    }
    command(Kind::kRead, nullptr, std::exchange(sentence.unsent, {}));
  }
  if (sentence.state.source_ended() && !sentence.finish_sent) {
    sentence.finish_sent = true;
    if (sentence.opened) {
      command(Kind::kFinish, nullptr, {});
    } else {  // there is nothing to translate
      sentence.held.push_back({key, 0, 0, /*end=*/true, std::nullopt});
    }
  }
}

void TranslationTrack::read_ahead(std::vector<Word> words, TextForm form, SessionOutput& output) {
  ahead_.clear();
  const bool open = has_open_sentence();
  ahead_terms_ = open ? sentences_.back().state.terms() : SentenceTerms(glossary(form));
  std::vector<ModelText> texts(ahead_terms_.empty() ? words.size() : 0);
  if (!ahead_terms_.empty()) {
    for (const Word& word : words) {
      const std::vector<ModelText> decided = ahead_terms_.add(word.text);
      texts.insert(texts.end(), decided.begin(), decided.end());
    }
    const std::vector<ModelText> rest = ahead_terms_.end();
    texts.insert(texts.end(), rest.begin(), rest.end());
    if (open) {  // the words that are held precede these
      const std::deque<Word>& held = sentences_.back().held_words;
      words.insert(words.begin(), held.begin(), held.end());
    }
  }
  std::size_t room = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::vector<int> tokens = tokens_of(words[i], texts[i], room);
    ahead_.insert(ahead_.end(), tokens.begin(), tokens.end());
    room = texts[i] && texts[i]->empty() ? room + words[i].tokens.size() : 0;
  }
  ask_for_draft(output);
}

// Without an open sentence there is nothing to read ahead of, and the draft is empty.
void TranslationTrack::ask_for_draft(SessionOutput& output) {
  drafts_asked_.push_back(sentences_.size() <= open_sentences_);
  const bool open = has_open_sentence();
  const Setting& setting = open ? sentences_.back().setting : setting_;
  output.commands[setting->model].push_back(
      {TranslationCommand::Kind::kReadAhead,
       {key_.stream, key_.track, open ? sentences_.back().state.number() : next_number_},
       nullptr,
       ahead_});
}

void TranslationTrack::open_again(SessionOutput& output) const {
  using Kind = TranslationCommand::Kind;
  for (const Pending& sentence : sentences_) {
    if (!sentence.opened || sentence.ended) {
      continue;
    }
    const SentenceKey key = key_of(sentence);
    std::vector<TranslationCommand>& commands = output.commands[sentence.setting->model];
    commands.push_back({.kind = Kind::kOpen,
                        .key = key,
                        .policy = sentence.policy,
                        .tokens = {},
                        .attention = sentence.setting->attention && sentence.pass_begin == 0,
                        .forced = sentence.written,
                        .target = sentence.setting->target});
    commands.push_back({Kind::kRead,
                        key,
                        nullptr,
                        {sentence.source.begin() + sentence.pass_begin, sentence.source.end()}});
    if (sentence.finish_sent) {
      commands.push_back({Kind::kFinish, key, nullptr, {}});
    }
  }
}

void TranslationTrack::add_open_sentences(
    std::map<std::size_t, std::vector<SentenceKey>>& keys) const {
  for (const Pending& sentence : sentences_) {
    if (sentence.opened) {
      keys[sentence.setting->model].push_back(key_of(sentence));
    }
  }
}

// --- from the translator ---

void TranslationTrack::translated(const TranslationEvent& event, TimePoint now,
                                  SessionOutput& output) {
  const auto sentence = std::find_if(
      sentences_.begin(), sentences_.end(),
      [&](const Pending& pending) { return pending.state.number() == event.key.sentence; });
  if (event.draft) {
    add_draft(event, output);
  } else if (sentence != sentences_.end()) {
    sentence->held.push_back(event);
    if (event.end) {
      sentence->ended = true;
    } else {
      sentence->written.push_back(event.token);
    }
    release_in_order(now, output);
  }
}

// The loop waits for source. Sentences that waited for a place in it, or for another pass, are in
// the commands by now, and the draft is asked for again.
void TranslationTrack::add_draft(const TranslationEvent& event, SessionOutput& output) {
  const bool open = has_open_sentence();
  const bool had_all = drafts_asked_.front();
  drafts_asked_.pop_front();
  if (!had_all || sentences_.size() > (open ? 1 : 0)) {
    ask_for_draft(output);
    return;
  }
  const int number = open ? sentences_.back().state.number() : next_number_;
  std::string text = open && number == event.key.sentence
                         ? sentences_.back().state.preview(*event.draft, ahead_terms_)
                         : std::string();
  output.messages.push_back(
      {Audience::kSender, protocol::Draft{number, std::move(text), name_}, std::nullopt});
}

// Handles the events of the first sentence, and of the next ones while each is complete.
void TranslationTrack::release_in_order(TimePoint now, SessionOutput& output) {
  while (!sentences_.empty()) {
    Pending& first = sentences_.front();
    bool ended = false;
    if (first.opened && !first.prefix.empty()) {
      write_prefix(first, now, output);
    }
    for (const TranslationEvent& event : std::exchange(first.held, {})) {
      ended = write(first, event, now, output);
    }
    if (!ended) {
      return;
    }
    complete_first(output);
    if (sentences_.size() >= open_sentences_) {
      send_commands_of(sentences_[open_sentences_ - 1], output);
    }
  }
}

// Returns the number of words that the last write has seen.
int TranslationTrack::words_read(const Pending& sentence) {
  return sentence.state.words_of(sentence.pass_begin + sentence.pass_read);
}

// Returns the number of words without a translation. Fewer than kMinRest at the end count only if
// nothing was written.
int TranslationTrack::untranslated(const Pending& sentence) {
  if (!sentence.content.has_text()) {  // it was copied
    return static_cast<int>(sentence.unknown.size());
  }
  const int words = sentence.state.source_words();
  const int read = sentence.state.target_tokens() == 0 ? 0 : words_read(sentence);
  const int rest = read == 0 || words - read >= kMinRest ? words - read : 0;
  return rest + static_cast<int>(std::count_if(sentence.unknown.begin(), sentence.unknown.end(),
                                               [&](int word) { return word < words - rest; }));
}

// Begins a pass for the words that the translation left out. Returns false if there are none. The
// pass has no attention, as the positions of its source would be other ones.
bool TranslationTrack::translate_rest(Pending& sentence, SessionOutput& output) {
  using Kind = TranslationCommand::Kind;
  const SentenceState& state = sentence.state;
  const int read = words_read(sentence);
  const int begin = state.tokens_of(read);
  if (sentence.pass_read == 0 || state.source_words() - read < kMinRest ||
      begin <= sentence.pass_begin || begin >= state.source_tokens()) {
    return false;
  }
  sentence.pass_begin = begin;
  sentence.pass_read = 0;
  sentence.written.clear();
  sentence.ended = false;
  const SentenceKey key = key_of(sentence);
  std::vector<TranslationCommand>& commands = output.commands[sentence.setting->model];
  commands.push_back({.kind = Kind::kOpen,
                      .key = key,
                      .policy = sentence.policy,
                      .tokens = {},
                      .target = sentence.setting->target});
  commands.push_back(
      {Kind::kRead, key, nullptr, {sentence.source.begin() + begin, sentence.source.end()}});
  commands.push_back({Kind::kFinish, key, nullptr, {}});
  return true;
}

// Returns true if the sentence is complete.
bool TranslationTrack::write(Pending& sentence, const TranslationEvent& event, TimePoint now,
                             SessionOutput& output) {
  SentenceState& state = sentence.state;
  const int words_before = state.target_words();
  const int index = state.target_tokens();
  const int read = sentence.pass_begin + event.read;
  if (event.end && translate_rest(sentence, output)) {
    return false;
  }
  std::string text;
  if (!event.end) {
    sentence.pass_read = event.read;
    text = state.write(event.token, read);
  } else {
    text = sentence.opened
               ? state.end_target()
               : state.copy(translate_marks(state.source(), sentence.setting->target_language));
  }
  if (!text.empty()) {
    emit_write(state, std::move(text), index, sentence.opened ? read : state.source_tokens() + 1,
               now, output);
  }
  if (event.attention) {
    write_attention(sentence, event, index, output);
  }
  if (state.target_words() > words_before) {
    write_metrics(state, output);
  }
  return event.end;
}

void TranslationTrack::write_prefix(Pending& sentence, TimePoint now, SessionOutput& output) {
  SentenceState& state = sentence.state;
  const int read = state.source_tokens();
  state.begin_target(sentence.prefix, sentence.written, read);
  emit_write(state, std::exchange(sentence.prefix, {}), /*index=*/0, read, now, output);
}

void TranslationTrack::emit_write(SentenceState& state, std::string text, int index, int read,
                                  TimePoint now, SessionOutput& output) {
  const int words = state.words_of(read);
  state.appeared(now);
  output.messages.push_back(
      {Audience::kBoth,
       protocol::Write{state.number(), index, std::move(text), read, words,
                       milliseconds_between(ready_, now), name_, state.clock_of(words)},
       state.arrival_of(read)});
}

void TranslationTrack::write_attention(Pending& sentence, const TranslationEvent& event, int index,
                                       SessionOutput& output) {
  const Tokenizers& tokenizers = sentence.setting->tokenizers;
  protocol::Attention message;
  message.sentence = sentence.state.number();
  message.index = index;
  message.target = event.end ? kEndPiece : tokenizers.target->piece(event.token);
  message.read = event.read;
  message.source_from = static_cast<int>(sentence.emitted);
  for (; sentence.emitted < sentence.source.size(); ++sentence.emitted) {
    message.source.emplace_back(tokenizers.source->piece(sentence.source[sentence.emitted]));
  }
  if (sentence.state.source_ended() && sentence.emitted == sentence.source.size()) {
    message.source.emplace_back(kEndPiece);
    ++sentence.emitted;
  }
  for (const LayerAttention& layer : *event.attention) {
    message.layers.push_back({layer.weights, layer.positions});
  }
  message.track = name_;
  output.messages.push_back({Audience::kBoth, std::move(message), std::nullopt});
}

void TranslationTrack::write_metrics(const SentenceState& state, SessionOutput& output) {
  output.messages.push_back(
      {Audience::kBoth,
       protocol::Metrics{state.number(), to_protocol(state.word_scores()),
                         to_protocol(mean_scores_.mean()), mean_scores_.sentences(), name_},
       std::nullopt});
}

void TranslationTrack::complete_first(SessionOutput& output) {
  const Pending& first = sentences_.front();
  const SentenceState& state = first.state;
  const LatencyScores words = state.word_scores();
  mean_scores_.add(words);
  const int left_out = untranslated(first);
  output.completed.push_back({first.policy->name(), words, left_out, state.terms().found(),
                              state.terms().written(),
                              state.speech_scores(previous_end_, /*computation_aware=*/false),
                              state.speech_scores(previous_end_, /*computation_aware=*/true)});
  previous_end_ = state.clock_of(state.source_words());
  output.messages.push_back(
      {Audience::kBoth,
       protocol::Sentence{state.number(), state.source(), state.target(), to_protocol(words),
                          to_protocol(state.token_scores()), name_, /*event=*/0, left_out},
       std::nullopt});
  queued_words_ -= load_of(state);
  sentences_.pop_front();
  update_lag_controller(words, output);
}

void TranslationTrack::update_lag_controller(const LatencyScores& words, SessionOutput& output) {
  if (lag_ && words.al && lag_->update(*words.al)) {
    output.messages.push_back(
        {Audience::kBoth,
         protocol::PolicyChange{next_number_, setting_->model_name, lag_->policy()->spec(),
                                /*by_lag=*/true, name_},
         std::nullopt});
  }
}

}  // namespace surtitle
