// The daemon without sockets: a hub on a simulation's clock, its journal on a simulated disk, and
// scripted translators. It is killed and started again.
//
// Thread-safety: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/access/client_quota.h"
#include "daemon/streams/hub.h"
#include "daemon/streams/viewer.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "tests/daemon/support/scripted_translator.h"
#include "tests/simulation/simulated_connection.h"
#include "tests/simulation/simulated_disk.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

struct DaemonSetting {
  HubOptions hub;
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
  // Drains, with streams left to the next process. REQUIRES: runs().
  void leave();
  bool runs() const noexcept { return process_ != nullptr; }

  // nullptr while it does not run.
  std::shared_ptr<SimulatedConnection> connect_sender(Client client, Witness witness);
  std::shared_ptr<SimulatedConnection> connect_viewer(const std::string& channel,
                                                      const SubscribeRequest& request,
                                                      Client client, Witness witness);

  // What it has of a channel, as text; "" where it knows nothing of it. REQUIRES: runs().
  std::string transcript(const std::string& channel) const;

  // What is wrong with what it holds at the moment; nothing where all is within its bounds.
  std::optional<std::string> broken_bound() const;
  // What it still holds once nobody is there any more; it drains for that.
  std::vector<std::string> left_over();

 private:
  struct Process;

  std::shared_ptr<SimulatedConnection> connect(Client client, Witness witness);
  void keep_time();
  void tick();
  double gauge(const std::string& name) const;

  Simulation& simulation_;
  SimulatedDisk& disk_;
  const DaemonSetting setting_;
  const QuotaLimits limits_;
  std::shared_ptr<ClientQuota> quota_;  // of all senders
  std::unique_ptr<Process> process_;
};

}  // namespace surtitle
