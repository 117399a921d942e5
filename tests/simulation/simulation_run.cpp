#include "tests/simulation/simulation_run.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

#include "tests/daemon/support/scripted_translator.h"

namespace surtitle {
namespace {

constexpr std::chrono::minutes kMaxLength{30};  // by the simulation's clock

Setting setting_of(std::uint64_t seed, SimulationRun::Kind kind) {
  Rng limits(seed + 1);
  Rng rng(seed + 3);
  switch (kind) {
    case SimulationRun::Kind::kRough:
      return rough_setting(limits, rng);
    case SimulationRun::Kind::kCalendar:
      return calendar_setting(limits);
    case SimulationRun::Kind::kSleepy:
      return sleepy_setting(limits);
    case SimulationRun::Kind::kCalm:
      break;
  }
  return calm_setting(limits);
}

bool exactly(const Setting& setting, const Script& script) {
  return keeps_time(script) && setting.daemon.server.limits.silence_seconds == 0;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  kills += other.kills;
  restarts += other.restarts;
  cuts += other.cuts;
  stills += other.stills;
  calendars += other.calendars;
  sleeps += other.sleeps;
  finished += other.finished;
  disk_failures += other.disk_failures;
  resumed += other.resumed;
  overloaded += other.overloaded;
  caught_up += other.caught_up;
  words += other.words;
  return *this;
}

SimulationRun::SimulationRun(std::uint64_t seed, Kind kind, bool print)
    : simulation_(seed),
      setting_(setting_of(seed, kind)),
      rng_(simulation_.make_die()),
      disk_(simulation_),
      daemon_(simulation_, disk_, setting_.daemon) {
  if (print) {
    simulation_.print_traces();
  }
  make_clients(seed);
}

void SimulationRun::make_clients(std::uint64_t seed) {
  Rng words(seed + 2);
  for (int i = 0; i < setting_.senders; ++i) {
    const std::string channel = "channel-" + std::to_string(i);
    Script script = make_script(words, channel);
    SenderHabits habits;
    habits.pace = setting_.talking;
    habits.away = setting_.away;
    habits.ahead = rng_.between(1, 6);
    if (!setting_.all_finish && rng_.chance(0.4)) {
      habits.end = rng_.chance(0.5) ? SenderHabits::End::kVanishes : SenderHabits::End::kCloses;
      habits.leaves_after = rng_.between(0, static_cast<int>(script.messages.size()));
    }
    senders_.push_back(std::make_unique<SimulatedSender>(simulation_, daemon_, disk_,
                                                         std::move(script), habits, faults_));
    for (int j = 0; j < setting_.viewers; ++j) {
      SubscribeRequest request;
      request.filter.attention = rng_.chance(0.3);
      if (rng_.chance(0.2)) {
        request.filter.track = "";
      }
      viewers_.push_back(std::make_unique<SimulatedViewer>(simulation_, daemon_, disk_, channel,
                                                           request, setting_.away, faults_));
    }
  }
}

// --- faults ---

void SimulationRun::befall(Span apart, const std::function<void()>& what) {
  if (apart.most == Clock::duration::zero() || simulation_.now() >= calm_from_) {
    return;
  }
  simulation_.after(rng_.duration(apart), [this, apart, what] {
    what();
    befall(apart, what);
  });
}

void SimulationRun::cut_one() {
  ++tally_.cuts;
  const Clock::duration daemon = rng_.duration(setting_.faults.notices);
  const Clock::duration own = rng_.duration(setting_.faults.notices);
  if (rng_.chance(0.5)) {
    rng_.one_of(senders_)->lose_connection(daemon, own);
  } else {
    rng_.one_of(viewers_)->lose_connection(daemon, own);
  }
}

void SimulationRun::still_one() {
  ++tally_.stills;
  const Clock::duration time = rng_.duration(setting_.faults.still_for);
  if (rng_.chance(0.3)) {
    rng_.one_of(senders_)->stand_still(time);
  } else {
    rng_.one_of(viewers_)->stand_still(time);
  }
}

void SimulationRun::kill() {
  if (!daemon_.runs()) {
    return;
  }
  ++tally_.kills;
  daemon_.kill();
  simulation_.after(rng_.duration(setting_.faults.down), [this] { daemon_.start(); });
}

// The daemon may be killed before it has drained.
void SimulationRun::restart() {
  if (!daemon_.runs()) {
    return;
  }
  ++tally_.restarts;
  daemon_.leave();
  simulation_.after(rng_.duration(setting_.faults.down), [this] { kill(); });
}

void SimulationRun::fail_disk() {
  disk_.fail(true);
  simulation_.after(rng_.duration(setting_.faults.failing), [this] { disk_.fail(false); });
}

void SimulationRun::set_calendar() {
  ++tally_.calendars;
  const int seconds = rng_.between(-1000000, 1000000);
  simulation_.remark("the calendar is set by " + std::to_string(seconds) + " s");
  simulation_.set_calendar(std::chrono::seconds(seconds));
}

// The machine's clock stops, all others continue. Clients have lost their connections meanwhile,
// and the daemon notices it later.
void SimulationRun::sleep() {
  ++tally_.sleeps;
  const int seconds = rng_.between(60, 1000000);
  simulation_.remark("the machine sleeps for " + std::to_string(seconds) + " s");
  simulation_.set_calendar(std::chrono::seconds(seconds));
  for (const auto& sender : senders_) {
    sender->lose_connection(rng_.duration(setting_.faults.notices), Clock::duration::zero());
  }
  for (const auto& viewer : viewers_) {
    viewer->lose_connection(rng_.duration(setting_.faults.notices), Clock::duration::zero());
  }
}

// --- a run ---

std::vector<std::string> SimulationRun::run() {
  calm_from_ = simulation_.now() + setting_.faults.lasts;
  daemon_.start();
  for (const auto& sender : senders_) {
    simulation_.after(rng_.duration(setting_.away), [&sender] { sender->begin(); });
  }
  for (const auto& viewer : viewers_) {
    simulation_.after(rng_.duration(setting_.away), [&viewer] { viewer->begin(); });
  }
  const FaultPlan& faults = setting_.faults;
  befall(faults.cuts, [this] { cut_one(); });
  befall(faults.stills, [this] { still_one(); });
  befall(faults.kills, [this] { kill(); });
  befall(faults.restarts, [this] { restart(); });
  befall(faults.failures, [this] { fail_disk(); });
  befall(faults.clocks, [this] { set_calendar(); });
  befall(faults.sleeps, [this] { sleep(); });

  const TimePoint end = simulation_.now() + kMaxLength;
  while (!everybody_done() && faults_.empty() && simulation_.now() < end && simulation_.step()) {
    if (const auto broken = daemon_.broken_bound()) {
      faults_.push_back(*broken);
    }
  }
  for (const auto& sender : senders_) {
    if (!sender->done() && faults_.empty()) {
      faults_.push_back("the run does not end: " + sender->state());
    }
  }
  if (!faults_.empty()) {
    return faults_;
  }
  // Streams of absent senders end meanwhile, and viewers receive everything.
  simulation_.run_for(to_duration(setting_.daemon.server.resume_timeout) + std::chrono::minutes(2));
  check_streams();
  for (const auto& sender : senders_) {
    const std::vector<std::string> missing = sender->missing();
    faults_.insert(faults_.end(), missing.begin(), missing.end());
  }
  for (const auto& viewer : viewers_) {
    const std::vector<std::string> missing = viewer->missing();
    faults_.insert(faults_.end(), missing.begin(), missing.end());
    viewer->leave();
  }
  const std::vector<std::string> left = daemon_.left_over();
  faults_.insert(faults_.end(), left.begin(), left.end());
  return faults_;
}

bool SimulationRun::senders_done() const {
  return std::all_of(senders_.begin(), senders_.end(),
                     [](const auto& sender) { return sender->done(); });
}

bool SimulationRun::everybody_done() {
  if (!senders_done()) {
    return false;
  }
  talk_hash_ = talk_hash_.value_or(simulation_.trace_hash());
  return daemon_.runs() && simulation_.now() >= calm_from_;
}

void SimulationRun::check_streams() {
  for (const std::string& name : disk_.names()) {
    check_stream(name);
  }
}

// Checks that the output is that of the accepted words, in every track and completely.
void SimulationRun::check_stream(const std::string& name) {
  const StoredStream& stored = *disk_.stream(name);
  if (!stored.history.ended) {
    faults_.push_back("stream " + name + " has not ended");
  }
  const Told all = told(stored.lines, /*exactly=*/false);
  const auto source = all.find("source");
  // Spoken text has no stops.
  const auto without_stops = [](std::string text) {
    std::erase(text, '.');
    return text;
  };
  const std::string taken =
      without_stops(source == all.end() ? "" : ScriptedTokenizer::capitals(source->second.front()));
  const bool finished =
      stored.history.rows.back().lines.find(R"("reason":"finished")") != std::string::npos;
  for (const auto& [track, lines] : all) {
    const std::string written = without_stops(lines.front());
    const bool right = finished ? taken == written : taken.starts_with(written);
    if (track.starts_with("track ") && !right) {
      faults_.push_back("stream " + name + ", " + track + ": accepted is" + taken + ", written is" +
                        written);
    }
  }
}

std::map<std::string, Told> SimulationRun::transcripts() const {
  std::map<std::string, Told> transcripts;
  for (const auto& sender : senders_) {
    if (sender->habits().end == SenderHabits::End::kFinishes) {
      transcripts[*sender->script().start.channel] =
          told(disk_.stream(sender->stream())->lines, exactly(setting_, sender->script()));
    }
  }
  return transcripts;
}

Tally SimulationRun::tally() const {
  Tally tally = tally_;
  tally.disk_failures = disk_.failures();
  for (const auto& sender : senders_) {
    tally.resumed += sender->resumed();
    tally.overloaded += sender->overloaded();
    tally.finished += sender->received_all() ? 1 : 0;
    tally.words += static_cast<int>(sender->acknowledged());
  }
  for (const auto& viewer : viewers_) {
    tally.resumed += viewer->resumed();
    tally.caught_up += viewer->caught_up();
  }
  return tally;
}

}  // namespace surtitle
