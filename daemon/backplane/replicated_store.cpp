#include "daemon/backplane/replicated_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "daemon/base/log.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kLookAgain{100};  // whether Redis is back, or another one
constexpr std::chrono::seconds kLeftWords{3};         // of the process before: the start waits for
constexpr std::chrono::seconds kLastWords{3};         // that the end waits for
constexpr std::size_t kRowsAtOnce = 256;              // that are caught up while others wait
constexpr std::chrono::seconds kAside{10};            // what alone could not be sent
constexpr std::size_t kMostAside = 64;                // that other replicas are told of
constexpr std::size_t kRenewAtOnce = 128;             // streams
constexpr int kRenewals = 3;                          // in the time that Redis keeps them

std::int64_t rows_in(std::int64_t entries, bool ended) { return entries - (ended ? 1 : 0); }

// Of the process that answers: a number that no other has.
std::string run_of(RedisConnection& redis) {
  constexpr std::string_view kName = "run_id:";
  const std::string about = redis.ask({"INFO", "server"}).text;
  const std::size_t begin = about.find(kName);
  return begin == std::string::npos
             ? "unknown"
             : about.substr(begin, about.find_first_of("\r\n", begin) - begin);
}

}  // namespace

MirroredStore::MirroredStore(std::unique_ptr<LocalStore> local, LinkState& link,
                             Callbacks callbacks)
    : local_(std::move(local)), link_(link), callbacks_(std::move(callbacks)) {}

// What Redis lacks is sent before the others hear that this replica goes.
MirroredStore::~MirroredStore() {
  try {
    for (const TimePoint until = Clock::now() + kLastWords;
         behind_ && may_send() && Clock::now() < until;) {
      keep_up();
    }
    const bool began = link_.arrivals() > 0;  // else that it starts is all that it has said
    if (redis_ && !began && link_.caught_up() && link_.lacking().empty()) {
      redis_->ask({"DEL", shared_story::key("replica", link_.options().replica)});
    }
  } catch (const std::exception& failure) {
    log(LogLevel::kWarning, "the last words are not in Redis", {{"cause", failure.what()}});
  }
}

RecoverableStreams MirroredStore::load_recoverable(std::int64_t ended) {
  RecoverableStreams left = local_->load_recoverable(ended);
  for (const StreamSummary& summary : left.summaries) {
    Place& place = places_[summary.stream.name];
    place.order = next_order_++;
    place.local = summary.rows + (summary.ended ? 1 : 0);
    place.ended = summary.ended;
    place.channel = summary.stream.channel.value_or("");
  }
  if (!places_.empty()) {
    ask_again_ = true;
    catch_up_left();
  }
  count_behind();
  return left;
}

// Before anybody is shown what the file alone has, and the others would go on without.
void MirroredStore::catch_up_left() {
  const TimePoint until = Clock::now() + kLeftWords;
  try {
    connect();
    catch_up_until(until);
  } catch (const std::exception& failure) {
    away(failure.what());
  }
}

int MirroredStore::forget(std::int64_t before) { return local_->forget(before); }

void MirroredStore::write(std::span<const JournalEntry> entries) {
  local_->write(entries);
  mirror(entries);
}

// Memory that runs out here ends the process: what is thrown after the file has the entries would
// have it get them again.
void MirroredStore::mirror(std::span<const JournalEntry> entries) noexcept {
  Batch batch;
  for (const JournalEntry& entry : entries) {
    note(entry, batch);
  }
  if (!batch.empty()) {
    send(batch);
  }
}

// Counts what the file has by now; what Redis can have at once joins the batch.
void MirroredStore::note(const JournalEntry& entry, Batch& batch) {
  if (entry.moved) {
    if (const auto place = places_.find(entry.stream); place != places_.end()) {
      if (place->second.behind()) {
        place->second.elsewhere = true;  // Redis may be another one by now
      } else {
        went_elsewhere(place);
      }
    }
    const auto ended = remembered_.find(entry.stream);
    if (ended != remembered_.end() && !ended->second.place.elsewhere) {
      remembered_.erase(ended);
    }
    std::erase_if(batch, [&](const auto& one) { return one.stream == entry.stream; });
    return;
  }
  if (entry.begins) {
    begin(entry);
  }
  const auto found = places_.find(entry.stream);
  if (found == places_.end()) {
    return;  // it is another replica's by now
  }
  Place& place = found->second;
  if (entry.row) {
    ++place.local;
    add(entry.stream, place,
        entry.begins ? shared_story::first_fields(*entry.begins, *entry.row)
                     : shared_story::row_fields(*entry.row),
        batch);
  }
  if (entry.ends) {
    ++place.local;
    place.ended = true;
    add(entry.stream, place, shared_story::end_fields(), batch);
  }
}

MirroredStore::Place& MirroredStore::begin(const JournalEntry& entry) {
  remembered_.erase(entry.stream);
  Place& place = places_[entry.stream];
  place = {};
  place.order = next_order_++;
  place.channel = entry.begins->channel.value_or("");
  place.fence = entry.owned.fence;
  place.shared = entry.owned.entries;
  place.taken = entry.owned.entries;
  return place;
}

void MirroredStore::add(const std::string& stream, const Place& place, RedisCommand fields,
                        Batch& batch) {
  auto append = std::find_if(batch.begin(), batch.end(),
                             [&](const auto& one) { return one.stream == stream; });
  if (append == batch.end()) {
    if (place.shared < 0 || place.local <= place.shared) {
      return;
    }
    if (place.local != place.shared + 1 || !may_send() || follows_one_behind(place, batch)) {
      fall_behind();
      return;
    }
    const BackplaneOptions& options = link_.options();
    append = batch.insert(batch.end(),
                          {stream, options.replica, place.fence, place.channel, options.keep,
                           /*late=*/false, place.ended, link_.settled(), place.local});
  }
  append->entries.push_back(std::move(fields));
}

// A stream that begins ends those before it on its channel in Redis, which have to be there whole.
bool MirroredStore::follows_one_behind(const Place& place, const Batch& batch) const {
  const auto goes_now = [&](const std::string& stream) {
    return std::any_of(batch.begin(), batch.end(),
                       [&](const auto& append) { return append.stream == stream; });
  };
  const auto is_behind = [&](const auto& one) {
    const Place& other = one.second;
    return other.channel == place.channel && other.order < place.order && other.behind() &&
           !other.aside && !goes_now(one.first);
  };
  return place.shared == 0 && !place.channel.empty() &&
         std::any_of(places_.begin(), places_.end(), is_behind);
}

// Also where it was reached at the start and nobody has looked since.
bool MirroredStore::may_send() const { return link_.up() || (redis_ && link_.arrivals() == 0); }

bool MirroredStore::connected() {
  if (redis_ || !link_.up()) {
    return redis_ != nullptr;
  }
  try {
    connect();
  } catch (const std::exception& failure) {
    away(failure.what());
  }
  return redis_ != nullptr;
}

void MirroredStore::connect() {
  arrival_ = link_.arrivals();
  auto redis = std::make_unique<RedisConnection>(link_.options().url, link_.options().patience);
  shared_story::load_scripts(*redis);
  const std::string run = run_of(*redis);
  if (run != std::exchange(run_, run)) {
    ask_anew();
  }
  redis_ = std::move(redis);
}

// What Redis has is not known.
void MirroredStore::ask_anew() {
  for (auto& [stream, place] : places_) {
    place.shared = -1;
    place.aside.reset();
    place.told_aside = false;
  }
  for (auto& [stream, remembered] : std::exchange(remembered_, {})) {
    Place& place = places_[stream] = std::move(remembered.place);
    place.shared = -1;
  }
  fall_behind();
}

void MirroredStore::remember(std::map<std::string, Place>::iterator place,
                             std::chrono::milliseconds time) {
  remembered_[place->first] = {std::move(place->second), Clock::now() + time};
  places_.erase(place);
}

// Whoever takes it has read it long before it would count as dead.
void MirroredStore::went_elsewhere(std::map<std::string, Place>::iterator place) {
  place->second.elsewhere = true;
  remember(place, link_.options().replica_lives);
}

// Not while Redis may be lost.
void MirroredStore::forget_remembered() {
  const TimePoint now = Clock::now();
  if (redis_ && link_.up()) {
    std::erase_if(remembered_, [&](const auto& one) { return one.second.until <= now; });
  }
}

void MirroredStore::fall_behind() {
  behind_ = true;
  link_.set_caught_up(false);
}

void MirroredStore::away(const std::string& why) {
  redis_.reset();
  fall_behind();
  link_.set_away(why);
}

void MirroredStore::send(const Batch& batch) {
  const bool ready = connected();
  // What becomes of these is not known where the connection goes meanwhile.
  for (const shared_story::Append& append : batch) {
    places_.at(append.stream).shared = -1;
  }
  if (!ready) {
    fall_behind();
    return;
  }
  const TimePoint begin = Clock::now();
  std::size_t entries = 0;
  try {
    const RedisConnection::Together together(*redis_);
    for (const shared_story::Append& append : batch) {
      shared_story::send_append(*redis_, append);
      entries += append.entries.size();
    }
    for (const shared_story::Append& append : batch) {
      try {
        take_answer(append, shared_story::receive_append(*redis_));
      } catch (const RedisRefusal& refusal) {
        set_aside(append.stream, refusal.what());
      }
    }
  } catch (const std::exception& failure) {  // the file has them: they are not written again
    away(failure.what());
    return;
  }
  if (entries > 0) {
    link_.metrics().backplane_written(static_cast<int>(entries), Clock::now() - begin);
  }
  count_behind();
}

void MirroredStore::take_answer(const shared_story::Append& append,
                                const shared_story::Appended& answer) {
  using Result = shared_story::Appended::Result;
  const auto found = places_.find(append.stream);
  Place& place = found->second;
  if (place.elsewhere) {
    place.shared = answer.have;
    if (answer.result == Result::kOk) {
      place.fence = answer.fence;
    }
    if (answer.result != Result::kOk || !place.behind()) {
      went_elsewhere(found);
    }
    return;
  }
  // More than the file has: that lost its last moments with the power, and Redis did not.
  const bool ahead = answer.have > std::max(place.local, place.taken);
  if (ahead || answer.result == Result::kFenced || answer.result == Result::kSwept) {
    callbacks_.lost(append.stream, append.fence, ahead || answer.result == Result::kSwept);
    if (ahead) {
      places_.erase(found);
    } else {
      went_elsewhere(found);
    }
    return;
  }
  if (answer.result == Result::kBusy) {
    callbacks_.refused(append.stream);
    places_.erase(found);
    return;
  }
  if (answer.result == Result::kSplit && !place.ended) {
    log(LogLevel::kWarning,
        "the channel got another sender on another replica while Redis was away; both go on, each "
        "for the viewers of its replica",
        {{"stream", append.stream}, {"channel", append.channel}});
  }
  place.shared = answer.have;
  place.fence = answer.fence;
  place.renew = Clock::now() + link_.options().keep / kRenewals;
  if (!place.behind()) {
    place.aside.reset();
  }
  if (place.ended && !place.behind()) {
    remember(found, link_.options().remember);
  }
}

std::optional<Clock::duration> MirroredStore::keep_up() {
  forget_remembered();
  if (places_.empty() && remembered_.empty()) {
    return std::nullopt;
  }
  try {
    look_for_another();
    if (connected()) {
      renew();
      catch_up();
    }
  } catch (const std::exception& failure) {
    away(failure.what());
  }
  count_behind();
  return redis_ && behind_ ? Clock::duration::zero() : Clock::duration(kLookAgain);
}

// A Redis that went and came back is connected to again, though nothing is to be written just now,
// and what is written next finds little behind. What was asked at the start is asked again: others
// may have gone on with it while this replica did not say that it lives.
void MirroredStore::look_for_another() {
  if (!link_.up() || (link_.arrivals() == arrival_ && !ask_again_)) {
    return;
  }
  redis_.reset();
  if (!connected()) {
    return;
  }
  if (std::exchange(ask_again_, false)) {
    for (auto& [stream, place] : places_) {
      place.shared = -1;
    }
  }
  catch_up_until(Clock::now() + link_.options().patience);
}

// What Redis has is known of all first: entries are sent with those of the others from then on.
void MirroredStore::catch_up_until(TimePoint until) {
  say_that_it_starts();
  Batch unknown;
  for (const auto& [stream, place] : places_) {
    if (place.shared < 0 && !place.aside) {
      unknown.push_back(missing(stream, place));
    }
  }
  if (!unknown.empty()) {
    send(unknown);
  }
  while (redis_ && Clock::now() < until && catch_up()) {
  }
}

// Nobody else does before the first arrival. Others wait for what they do not see yet.
void MirroredStore::say_that_it_starts() {
  if (link_.arrivals() == 0) {
    const BackplaneOptions& options = link_.options();
    const shared_story::Pulse pulse{options.place, /*caught_up=*/false};
    redis_->ask(pulse.command(options.replica, /*beats=*/0, options.replica_lives));
  }
}

// One more piece of the stream that began first, so that channels have their streams in order.
// False: there is none.
bool MirroredStore::catch_up() {
  auto first = places_.end();
  const TimePoint now = Clock::now();
  for (auto place = places_.begin(); place != places_.end(); ++place) {
    if (place->second.behind() && place->second.aside.value_or(now) <= now &&
        (first == places_.end() || place->second.order < first->second.order)) {
      first = place;
    }
  }
  if (first == places_.end()) {
    return false;
  }
  say_that_it_starts();
  const std::string stream = first->first;
  try {
    catch_up(stream, first->second);
  } catch (const RedisRefusal& refusal) {
    set_aside(stream, refusal.what());
  } catch (const RedisError&) {
    throw;
  } catch (const std::exception& failure) {  // the file's
    set_aside(stream, failure.what());
  }
  return true;
}

void MirroredStore::catch_up(const std::string& stream, Place& place) {
  const std::int64_t had = place.shared;
  const shared_story::Append append = missing(stream, place);
  if (had >= 0 && append.entries.empty()) {
    places_.erase(stream);  // the file has forgotten it
    return;
  }
  shared_story::send_append(*redis_, append);
  take_answer(append, shared_story::receive_append(*redis_));
  if (had >= 0) {
    link_.metrics().backplane_caught_up(static_cast<int>(append.entries.size()));
  }
}

void MirroredStore::set_aside(const std::string& stream, const std::string& why) {
  Place& place = places_.at(stream);
  place.shared = -1;
  place.aside = Clock::now() + kAside;
  if (!std::exchange(place.told_aside, true)) {
    log(LogLevel::kError,
        "is not in Redis as a whole, and goes on here alone until it is; it is tried again",
        {{"stream", stream}, {"cause", why}});
  }
}

// Of streams that have said nothing for long.
void MirroredStore::renew() {
  const TimePoint now = Clock::now();
  std::vector<std::map<std::string, Place>::iterator> due;
  for (auto place = places_.begin(); place != places_.end() && due.size() < kRenewAtOnce; ++place) {
    if (place->second.shared >= 0 && place->second.renew <= now) {
      due.push_back(place);
    }
  }
  const std::string keep = std::to_string(link_.options().keep.count());
  const auto send = [&](const char* kind, const std::string& name) {
    redis_->send({"PEXPIRE", shared_story::key(kind, name), keep});
  };
  const RedisConnection::Together together(*redis_);
  for (const auto& place : due) {
    send("story", place->first);
    send("owner", place->first);
    send("sender", place->second.channel);
    send("order", place->second.channel);
  }
  for (const auto& place : due) {
    const bool there = redis_->receive().number == 1;
    for (int others = 3; others > 0; --others) {
      redis_->receive();
    }
    place->second.renew = now + link_.options().keep / kRenewals;
    if (!there) {  // Redis has lost it
      place->second.shared = -1;
      fall_behind();
    }
  }
}

// What Redis lacks, or as much of it as goes at once; nothing where it has to be asked first.
shared_story::Append MirroredStore::missing(const std::string& stream, const Place& place) {
  const BackplaneOptions& options = link_.options();
  shared_story::Append append{stream,        options.replica, place.fence,
                              place.channel, options.keep,    /*late=*/true,
                              place.ended,   link_.settled(), place.shared + 1};
  if (place.shared < 0) {
    append.first = 1;
    return append;
  }
  const std::int64_t rows = rows_in(place.local, place.ended);
  for (JournalRow& row : local_->read_rows(stream, place.shared, kRowsAtOnce)) {
    const bool first = place.shared == 0 && append.entries.empty();
    append.entries.push_back(first ? shared_story::first_fields(local_->read_stream(stream), row)
                                   : shared_story::row_fields(row));
  }
  const std::int64_t reaches = place.shared + static_cast<std::int64_t>(append.entries.size());
  if (place.ended && reaches >= rows) {
    append.entries.push_back(shared_story::end_fields());
  }
  return append;
}

void MirroredStore::count_behind() {
  std::int64_t behind = 0;
  for (const auto& [stream, place] : places_) {
    behind += std::max<std::int64_t>(place.local - std::max<std::int64_t>(place.shared, 0), 0);
  }
  const TimePoint now = Clock::now();
  bool caught_up = true;
  behind_ = false;
  std::vector<std::string> lacking;
  for (const auto& [stream, place] : places_) {
    if (place.behind()) {
      behind_ = behind_ || place.aside.value_or(now) <= now;
      caught_up = caught_up && place.aside;
      lacking.push_back(stream);
    }
  }
  if (lacking.size() > kMostAside) {
    caught_up = false;
  }
  link_.set_caught_up(caught_up, caught_up ? std::move(lacking) : std::vector<std::string>());
  link_.metrics().backplane_behind(behind);
}

}  // namespace surtitle
