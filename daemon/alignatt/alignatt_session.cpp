#include "daemon/alignatt/alignatt_session.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "daemon/base/log.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

using alignatt::Error;
using alignatt::Init;
using alignatt::Update;

constexpr const char* kDefaultChannel = "main";
constexpr int kDefaultChannels = 9;         // main, main-2, ..., main-9
constexpr std::size_t kMaxUtterance = 300;  // words
constexpr std::size_t kMaxWaiting = 16;     // updates of different utterances
constexpr std::size_t kMaxTail = 50;        // words that are read ahead

// Returns the words up to the first one that may end the sentence. The words after it belong to
// another sentence.
std::string tail_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kMaxTail); ++i) {
    text.append(text.empty() ? "" : " ").append(words[i]);
    const char last = words[i].empty() ? '\0' : words[i].back();
    if (last == '.' || last == '!' || last == '?') {
      break;
    }
  }
  return text;
}

std::size_t count_words(const Update& update) {
  std::size_t words = 0;
  for (const alignatt::Word& word : update.words) {
    words += split_words(word.text).size();
  }
  for (const std::string& word : update.tail) {
    words += split_words(word).size();
  }
  return words;
}

}  // namespace

AlignattSession::AlignattSession(StreamRegistry& streams,
                                 std::shared_ptr<AlignattSessions> sessions,
                                 const std::shared_ptr<AuthenticatedClient>& client,
                                 alignatt::UrlQuery query)
    : streams_(streams),
      sessions_(std::move(sessions)),
      client_(client),
      query_(std::move(query)),
      sender_(streams, Stream::Kind::kDurable, client) {}

AlignattSession::~AlignattSession() { leave(/*on_purpose=*/false); }

void AlignattSession::on_open(Connection& connection) {
  connection_ = &connection;
  last_message_ = streams_.server().now();
  sender_.on_open(*this);
}

// --- the client ---

void AlignattSession::on_message(std::string_view text, TimePoint now) {
  if (state_ == State::kOver) {
    return;
  }
  last_message_ = now;
  auto message = alignatt::parse(text);
  if (const auto* error = std::get_if<Error>(&message)) {
    reply(to_json(*error));
  } else if (const auto* init = std::get_if<Init>(&message)) {
    begin(*init, now);
  } else {
    add(std::get<Update>(std::move(message)), now);
  }
}

void AlignattSession::begin(const Init& init, TimePoint now) {
  if (state_ != State::kNew) {
    reply(to_json(Error{"out_of_order", "received a second init; a connection must have one"}));
    return;
  }
  auto planned = alignatt::plan(init, query_, streams_.server().models().infos(),
                                streams_.server().models().defaults());
  if (const auto* error = std::get_if<Error>(&planned)) {
    reply(to_json(*error));
    if (!error->supported.empty()) {
      leave(/*on_purpose=*/true);
      connection_->end(protocol::close_code(protocol::ErrorCode::kUnsupportedLanguages));
    }
    return;
  }
  auto& plan = std::get<alignatt::Plan>(planned);
  direction_ = plan.direction;
  prefix_ = init.accepted_target_prefix;
  plan.start.channel = channel_ = choose_channel(now);
  plan.start.silence = static_cast<double>(kIdle.count());
  state_ = State::kStarting;
  sessions_->insert(this);
  send_to_stream(plan.start, now);
  if (!init.context_text.empty()) {
    log(LogLevel::kInfo, "Context of a client noted",
        {{"channel", channel_.value_or("")},
         {"bytes", static_cast<std::int64_t>(init.context_text.size())},
         {"terms", static_cast<std::int64_t>(plan.start.glossary.size())}});
  }
}

// Returns the channel of the URL, or else the first one that is free.
std::optional<std::string> AlignattSession::choose_channel(TimePoint now) {
  if (query_.channel) {
    free_channel(*query_.channel, now);
    return query_.channel;
  }
  for (int i = 1; i <= kDefaultChannels; ++i) {
    const std::string channel =
        i == 1 ? kDefaultChannel : kDefaultChannel + ("-" + std::to_string(i));
    if (client_->check_send(channel) && free_channel(channel, now)) {
      return channel;
    }
  }
  return std::nullopt;
}

// Returns true if a stream may begin on this channel. A session that is idle there leaves.
bool AlignattSession::free_channel(const std::string& channel, TimePoint now) {
  const auto holder = std::find_if(sessions_->begin(), sessions_->end(), [&](const auto* session) {
    return session->channel_ == channel && session->idle(now);
  });
  if (holder != sessions_->end()) {
    AlignattSession& session = **holder;
    session.leave(/*on_purpose=*/false);  // its stream is detached, and gives way to a new one
    session.connection_->end(protocol::kCloseNormal);
  }
  return !streams_.server().channels().is_taken(channel) ||
         streams_.find_detached_on(channel) != nullptr;
}

// An update replaces one of the same utterance that waits.
void AlignattSession::add(Update update, TimePoint now) {
  const auto limit = static_cast<std::size_t>(streams_.server().options().limits.queued_words);
  if (state_ == State::kNew) {
    reply(to_json(Error{"out_of_order", "the first message must be init"}));
    return;
  }
  if (const std::size_t words = count_words(update); words > limit) {
    reply(to_json(Error{"too_many_words", "the update has " + std::to_string(words) +
                                              " words; allowed: at most " + std::to_string(limit) +
                                              " (queued_words)"}));
    return;
  }
  if (!waiting_.empty() && waiting_.back().utterance_id == update.utterance_id) {
    update.is_final = update.is_final || waiting_.back().is_final;
    waiting_.back() = std::move(update);
  } else {
    waiting_.push_back(std::move(update));
  }
  work(now);
}

// Begins the next update, unless one is under way.
void AlignattSession::work(TimePoint now) {
  while (may_work()) {
    const std::int64_t id = waiting_.front().utterance_id;
    const bool other = !utterance_ || utterance_->id() != id;
    unasked_ = other && utterance_ && !utterance_->ended();
    if (unasked_) {  // the client has left the utterance without a final update
      working_ = Update{.utterance_id = utterance_->id(), .words = {}, .is_final = true};
    } else {
      working_ = std::move(waiting_.front());
      waiting_.pop_front();
      force_end(*working_);
    }
    if (other && !unasked_) {
      utterance_.emplace(id, std::exchange(prefix_, {}));
    }
    if (utterance_->ended() && utterance_->has_words_of(*working_)) {
      answer(*std::exchange(working_, std::nullopt));
    } else {
      translate(*working_, now);
    }
  }
}

// Ends an utterance that is too long, so that its updates stay small.
void AlignattSession::force_end(Update& update) const {
  const auto queued = static_cast<std::size_t>(streams_.server().options().limits.queued_words);
  if (!update.is_final && update.words.size() >= std::min(kMaxUtterance, queued / 2)) {
    update.is_final = true;
    update.forced_final = true;
  }
}

void AlignattSession::translate(const Update& update, TimePoint now) {
  for (protocol::Source& source : utterance_->add_words(update.words)) {
    source.seq = ++seq_;
    send_to_stream(std::move(source), now);
  }
  if (update.is_final) {
    send_to_stream(protocol::EndSentence{}, now);
  }
  send_to_stream(protocol::Tail{update.is_final ? "" : tail_text(update.tail)}, now);
}

void AlignattSession::answer(const Update& update) {
  const alignatt::Translation translation = utterance_->answer(update);
  if (!std::exchange(unasked_, false)) {
    connection_->send({std::make_shared<const std::string>(to_json(translation)),
                       std::exchange(triggered_at_, std::nullopt)});
  }
}

void AlignattSession::reply(std::string json) {
  connection_->send({std::make_shared<const std::string>(std::move(json))});
}

void AlignattSession::on_protocol_error(const protocol::Error& error) {
  sender_.on_protocol_error(error);
}

bool AlignattSession::may_read() const {
  return state_ != State::kStarting && waiting_.size() < kMaxWaiting && sender_.may_read();
}

std::optional<TimePoint> AlignattSession::deadline() const {
  const std::optional<TimePoint> deadline = sender_.deadline();
  if (state_ != State::kOpen) {
    return deadline;
  }
  return std::min(deadline.value_or(TimePoint::max()),
                  may_work() ? idle_since_ : last_message_ + kMaxIdle);
}

void AlignattSession::on_deadline(TimePoint now) {
  if (const std::optional<TimePoint> due = sender_.deadline(); due && now >= *due) {
    sender_.on_deadline(now);
  }
  work(now);
  if (state_ == State::kOpen && now >= last_message_ + kMaxIdle) {
    leave(/*on_purpose=*/true);
    connection_->end(protocol::kCloseNormal);
  }
}

void AlignattSession::on_close(bool on_purpose) noexcept { leave(on_purpose); }

void AlignattSession::leave(bool on_purpose) noexcept {
  state_ = State::kOver;
  sessions_->erase(this);
  sender_.on_close(on_purpose);
}

// --- the stream ---

void AlignattSession::send_to_stream(const protocol::ClientMessage& message, TimePoint now) {
  sender_.on_message(protocol::to_json(message), now);
}

void AlignattSession::send(OutgoingText outgoing) {
  const auto parsed = protocol::parse_server_message(*outgoing.text);
  const auto* message = std::get_if<protocol::ServerMessage>(&parsed);
  if (message == nullptr) {
    return;
  }
  if (const auto* ready = std::get_if<protocol::Ready>(message)) {
    state_ = State::kOpen;
    reply(to_json(
        alignatt::InitOk{direction_, ready->policy.value_or(""), ready->model.value_or("")}));
    connection_->wake();
  } else if (const auto* write = std::get_if<protocol::Write>(message)) {
    triggered_at_ = triggered_at_ ? triggered_at_ : outgoing.triggered_at;
    utterance_->on_message(*write);
  } else if (const auto* sentence = std::get_if<protocol::Sentence>(message)) {
    utterance_->on_message(*sentence);
  } else if (const auto* draft = std::get_if<protocol::Draft>(message); draft && working_) {
    utterance_->on_message(*draft);
    answer(*std::exchange(working_, std::nullopt));
    idle_since_ = streams_.server().now();
    connection_->wake();  // the next update begins once the stream has sent all of its messages
  } else if (const auto* error = std::get_if<protocol::Error>(message);
             error != nullptr && !protocol::is_notice(error->code)) {
    reply(to_json(alignatt::error_of(*error)));
  }
}

void AlignattSession::end(std::uint16_t close_code) {
  state_ = State::kOver;
  sessions_->erase(this);
  connection_->end(close_code);
}

}  // namespace surtitle
