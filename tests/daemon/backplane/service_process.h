// A foreign program that listens on the loopback during a test: Redis, HAProxy.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace surtitle {

// Returns a port of the loopback that was free a moment ago.
int free_port();

class ServiceProcess {
 public:
  // Returns once the port accepts connections. Throws std::runtime_error if the program ends
  // instead.
  ServiceProcess(std::vector<std::string> command, int port,
                 std::map<std::string, std::string> environment = {});
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;
  ~ServiceProcess();

  int port() const noexcept { return port_; }
  void signal(int number) const;
  // Kills it, as a power cut would.
  void kill();
  // REQUIRES: killed.
  void start();

 private:
  const std::vector<std::string> command_;
  const int port_;
  const std::map<std::string, std::string> environment_;
  pid_t process_ = -1;
};

// A Redis without persistence: it is empty after a kill.
class RedisProcess : public ServiceProcess {
 public:
  explicit RedisProcess(const std::vector<std::string>& flags = {});
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port()) + "/3"; }

 private:
  RedisProcess(int port, const std::vector<std::string>& flags);
};

// HAProxy with deploy/haproxy/surtitle.cfg, before three replicas.
class HaproxyProcess : public ServiceProcess {
 public:
  explicit HaproxyProcess(const std::vector<int>& replicas);

 private:
  HaproxyProcess(int port, const std::vector<int>& replicas);
};

}  // namespace surtitle
