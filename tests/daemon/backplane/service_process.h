// A program of somebody else's that listens on the loopback, for as long as a test wants it: Redis,
// HAProxy.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace surtitle {

// A port of the loopback that was free a moment ago.
int free_port();

class ServiceProcess {
 public:
  // Returns once the port takes connections. Throws std::runtime_error where it ends instead.
  ServiceProcess(std::vector<std::string> command, int port,
                 std::map<std::string, std::string> environment = {});
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;
  ~ServiceProcess();

  int port() const noexcept { return port_; }
  void signal(int number) const;
  // Ends it like a power cut.
  void kill();
  // REQUIRES: killed.
  void start();

 private:
  const std::vector<std::string> command_;
  const int port_;
  const std::map<std::string, std::string> environment_;
  pid_t process_ = -1;
};

// A Redis without persistence: what is killed is empty afterwards.
class RedisProcess : public ServiceProcess {
 public:
  explicit RedisProcess(const std::vector<std::string>& flags = {});
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port()) + "/3"; }

 private:
  RedisProcess(int port, const std::vector<std::string>& flags);
};

// HAProxy as deploy/haproxy/surtitle.cfg has it, before three replicas.
class HaproxyProcess : public ServiceProcess {
 public:
  explicit HaproxyProcess(const std::vector<int>& replicas);

 private:
  HaproxyProcess(int port, const std::vector<int>& replicas);
};

}  // namespace surtitle
