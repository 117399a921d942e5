// The daemon without sockets: its streams on a simulation's clock, a journal on a simulated disk,
// and scripted translators. It can be killed and started again.
//
// Thread-safety: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/access/client_quota.h"
#include "daemon/streams/stream_registry.h"
#include "daemon/streams/viewer.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "tests/daemon/support/scripted_translator.h"
#include "tests/simulation/simulated_connection.h"
#include "tests/simulation/simulated_disk.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

struct DaemonSetting {
  ServerOptions server;
  int slots = 64;  // of each translator
  Span work_pace;  // of a step, and of a transaction
  Span post_pace;  // from another thread to the network's
  Network network;
};

class SimulatedDaemon {
 public:
  using Client = SimulatedConnection::Client;
  using Witness = SimulatedConnection::Witness;

  SimulatedDaemon(Simulation& simulation, SimulatedDisk& disk, DaemonSetting setting);
  SimulatedDaemon(const SimulatedDaemon&) = delete;
  SimulatedDaemon& operator=(const SimulatedDaemon&) = delete;
  ~SimulatedDaemon();

  void start();
  void kill();
  // Drains in handoff mode: its streams continue in the next process. REQUIRES: runs().
  void leave();
  bool runs() const noexcept { return process_ != nullptr; }

  // Both return nullptr while it does not run.
  std::shared_ptr<SimulatedConnection> connect_sender(Client client, Witness witness);
  std::shared_ptr<SimulatedConnection> connect_viewer(const std::string& channel,
                                                      const SubscribeRequest& request,
                                                      Client client, Witness witness);

  // Returns the transcript of a channel as text, "" if there is none. REQUIRES: runs().
  std::string transcript(const std::string& channel) const;

  // Returns the bound that is violated at the moment, or nullopt.
  std::optional<std::string> broken_bound() const;
  // Drains, and returns what is left once no client is connected.
  std::vector<std::string> left_over();

 private:
  struct Process;

  std::shared_ptr<SimulatedConnection> connect(Client client, Witness witness);
  void keep_time();
  void on_timer();
  double gauge(const std::string& name) const;

  Simulation& simulation_;
  SimulatedDisk& disk_;
  const DaemonSetting setting_;
  const QuotaLimits limits_;
  std::shared_ptr<ClientQuota> quota_;  // of all senders
  std::unique_ptr<Process> process_;
};

}  // namespace surtitle
