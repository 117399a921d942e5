#include "tests/simulation/simulated_daemon.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "daemon/access/authenticated_client.h"
#include "daemon/base/watchdog.h"
#include "daemon/channels/transcript_formats.h"
#include "daemon/journal/journal.h"
#include "daemon/streams/stream_sender.h"
#include "tests/simulation/counted_translator.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kTick{250};  // as EventLoopMonitor's
constexpr std::chrono::seconds kStall{2};        // more than any round takes

}  // namespace

// The state that dies with the process.
struct SimulatedDaemon::Process {
  Process(Simulation& simulation, SimulatedDisk& disk, const DaemonSetting& setting)
      : posted(simulation, setting.post_pace),
        stored(simulation, setting.post_pace),
        server(
            setting.server, metrics,
            [this](std::function<void()> work) { send(posted, std::move(work)); }, simulation) {
    std::unique_ptr<JournalStore> store = disk.open();
    const auto since =
        simulation.calendar_time().time_since_epoch() - to_duration(setting.server.resume_timeout);
    RecoverableStreams left = store->load_recoverable(
        std::chrono::duration_cast<std::chrono::milliseconds>(since).count(), /*channels=*/0);
    JournalOptions options;
    options.on_committed = [this](std::shared_ptr<const std::vector<std::uint64_t>> rows) {
      send(stored, [this, rows = std::move(rows)] { streams.on_committed(*rows); });
    };
    server.use_journal(
        std::make_unique<Journal>(std::move(store), metrics, std::move(options), simulation));
    for (const char* name : {"scripted", "scripted-fr"}) {
      ScriptedOptions scripted;
      scripted.name = name;
      scripted.max_sentences = setting.slots;
      scripted.target_language = scripted.name == "scripted" ? "en" : "fr";
      scripted.source_forms = {TextForm::kWritten, TextForm::kSpoken};
      scripted.start = random_starts();
      int& open = open_sentences[scripted.name];
      const auto tokenizer = std::make_shared<ScriptedTokenizer>();
      server.add_model({Tokenizers(tokenizer), [tokenizer, scripted, &open] {
                          return std::make_unique<CountedTranslator>(tokenizer, scripted, open);
                        }});
    }
    streams.restore(std::move(left));
    watchdog.emplace(kStall, server.watched(),
                     [this](const Stall& stall) { false_alarm = stall.message(); });
  }

  // Runs `work` unless the process is dead by then.
  void send(Lane& lane, std::function<void()> work) {
    lane.send([alive = std::weak_ptr(alive), work = std::move(work)] {
      if (!alive.expired()) {
        work();
      }
    });
  }

  const std::shared_ptr<int> alive = std::make_shared<int>();
  DaemonMetrics metrics{"0"};
  std::map<std::string, int> open_sentences;  // by model
  Lane posted;
  Lane stored;
  ServerContext server;
  StreamRegistry streams{server};
  std::vector<std::shared_ptr<SimulatedConnection>> connections;
  std::optional<TimePoint> watched;
  std::optional<Watchdog> watchdog;
  std::optional<std::string> false_alarm;  // of the watchdog: no thread stalls here
};

SimulatedDaemon::SimulatedDaemon(Simulation& simulation, SimulatedDisk& disk, DaemonSetting setting)
    : simulation_(simulation),
      disk_(disk),
      setting_(std::move(setting)),
      quota_(std::make_shared<ClientQuota>("address", limits_, simulation.now())) {}

SimulatedDaemon::~SimulatedDaemon() { kill(); }

void SimulatedDaemon::start() {
  simulation_.trace("the daemon starts");
  simulation_.tell_work_of_its_end(true);
  simulation_.pace_work(setting_.work_pace);
  process_ = std::make_unique<Process>(simulation_, disk_, setting_);
  process_->streams.on_deadline_changed([this, alive = std::weak_ptr(process_->alive)] {
    simulation_.after(Clock::duration::zero(), [this, alive] {
      if (!alive.expired()) {
        keep_time();
      }
    });
  });
  keep_time();
  on_timer();
}

void SimulatedDaemon::kill() {
  if (!process_) {
    return;
  }
  simulation_.trace("the daemon is killed");
  simulation_.tell_work_of_its_end(false);
  for (const auto& connection : process_->connections) {
    connection->process_died();
  }
  process_->streams.stop();
  process_.reset();
}

void SimulatedDaemon::leave() {
  simulation_.trace("the daemon hands its streams off");
  process_->streams.drain(StreamRegistry::DrainMode::kHandOff, [] {});
}

// Ticks the streams at its deadline, as the program does.
void SimulatedDaemon::keep_time() {
  Process& process = *process_;
  const std::optional<TimePoint> deadline = process.streams.deadline();
  if (process.watched == deadline) {
    return;
  }
  process.watched = deadline;
  if (!deadline) {
    return;
  }
  simulation_.at(*deadline, [this, alive = std::weak_ptr(process.alive), deadline] {
    if (!alive.expired() && process_->watched == deadline) {
      process_->watched.reset();
      process_->streams.on_deadline(simulation_.now());
      keep_time();
    }
  });
}

// Does the work of EventLoopMonitor and of the watchdog's thread.
void SimulatedDaemon::on_timer() {
  process_->server.end_round(simulation_.now());
  process_->watchdog->check(simulation_.now());
  simulation_.after(kTick, [this, alive = std::weak_ptr(process_->alive)] {
    if (!alive.expired()) {
      on_timer();
    }
  });
}

std::shared_ptr<SimulatedConnection> SimulatedDaemon::connect(Client client, Witness witness) {
  std::erase_if(process_->connections, [](const auto& connection) { return connection->over(); });
  auto connection = std::make_shared<SimulatedConnection>(simulation_, setting_.network,
                                                          std::move(client), std::move(witness));
  process_->connections.push_back(connection);
  return connection;
}

std::shared_ptr<SimulatedConnection> SimulatedDaemon::connect_sender(Client client,
                                                                     Witness witness) {
  if (!process_) {
    return nullptr;
  }
  auto connection = connect(std::move(client), std::move(witness));
  std::vector<Lease> leases;
  quota_->connect();
  leases.emplace_back(quota_, &ClientQuota::disconnect);
  auto sender_client = std::make_shared<AuthenticatedClient>(
      unrestricted_grant(), std::vector<std::shared_ptr<ClientQuota>>{quota_}, std::move(leases));
  sender_client->add_connection_to_stream(/*may_resume=*/true);
  connection->open(
      std::make_unique<StreamSender>(process_->streams, Stream::Kind::kDurable, sender_client));
  return connection;
}

std::shared_ptr<SimulatedConnection> SimulatedDaemon::connect_viewer(
    const std::string& channel, const SubscribeRequest& request, Client client, Witness witness) {
  if (!process_) {
    return nullptr;
  }
  auto connection = connect(std::move(client), std::move(witness));
  connection->open(std::make_unique<Viewer>(process_->streams, channel, request));
  return connection;
}

std::string SimulatedDaemon::transcript(const std::string& channel) const {
  const Transcript* said = process_->server.channels().transcript(channel);
  return said == nullptr ? "" : write_transcript(*said, {TranscriptFormat::kText});
}

double SimulatedDaemon::gauge(const std::string& name) const {
  std::istringstream lines(process_->metrics.exposition());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + " ")) {
      return std::stod(line.substr(name.size()));
    }
  }
  return -1;
}

std::optional<std::string> SimulatedDaemon::broken_bound() const {
  if (!process_) {
    return std::nullopt;
  }
  for (const auto& [model, open] : process_->open_sentences) {
    if (open < 0 || open > setting_.slots) {
      return model + " has " + std::to_string(open) + " sentences open";
    }
  }
  return process_->false_alarm;
}

std::vector<std::string> SimulatedDaemon::left_over() {
  std::vector<std::string> left;
  bool drained = false;
  process_->streams.drain(StreamRegistry::DrainMode::kFinish, [&drained] { drained = true; });
  simulation_.run_for(std::chrono::minutes(1));
  if (!drained) {
    left.emplace_back("the daemon does not drain");
  }
  for (const char* name : {"surtitle_streams", "surtitle_viewers"}) {
    if (gauge(name) != 0) {
      left.push_back(name + (" " + std::to_string(gauge(name))));
    }
  }
  for (const auto& [model, open] : process_->open_sentences) {
    if (open != 0) {
      left.push_back(model + " has " + std::to_string(open) + " sentences open");
    }
  }
  if (!quota_->idle(simulation_.now() + std::chrono::hours(1))) {
    left.emplace_back("a lease was not returned");
  }
  return left;
}

}  // namespace surtitle
