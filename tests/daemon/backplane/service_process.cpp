#include "tests/daemon/backplane/service_process.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kTryAgain{5};

class Socket {
 public:
  Socket() : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

sockaddr_in on_loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool takes_connections(int port) {
  const Socket socket;
  const sockaddr_in address = on_loopback(port);
  return connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&address),
                 sizeof(address)) == 0;
}

std::vector<std::string> haproxy_command() {
  return {"haproxy", "-db", "-q", "-f", SURTITLE_SOURCE_DIR "/deploy/haproxy/surtitle.cfg"};
}

std::vector<std::string> redis_command(int port, const std::vector<std::string>& flags) {
  std::vector<std::string> command{
      "redis-server", "--bind", "127.0.0.1",  "--port",  std::to_string(port), "--save",   "",
      "--appendonly", "no",     "--loglevel", "warning", "--logfile",          "/dev/null"};
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

std::map<std::string, std::string> haproxy_environment(int port, const std::vector<int>& replicas) {
  std::map<std::string, std::string> environment{
      {"SURTITLE_BIND", "127.0.0.1:" + std::to_string(port)}};
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    environment["SURTITLE_REPLICA" + std::to_string(i + 1)] =
        "127.0.0.1:" + std::to_string(replicas[i]);
  }
  return environment;
}

}  // namespace

int free_port() {
  const Socket socket;
  sockaddr_in address = on_loopback(0);
  socklen_t size = sizeof(address);
  if (bind(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port is free");
  }
  return ntohs(address.sin_port);
}

ServiceProcess::ServiceProcess(std::vector<std::string> command, int port,
                               std::map<std::string, std::string> environment)
    : command_(std::move(command)), port_(port), environment_(std::move(environment)) {
  start();
}

ServiceProcess::~ServiceProcess() { kill(); }

void ServiceProcess::start() {
  std::vector<std::string> texts = command_;
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  for (const auto& [name, value] : environment_) {
    variables.push_back(name + "=" + value);
  }
  const auto pointers = [](std::vector<std::string>& all) {
    std::vector<char*> list;
    for (std::string& one : all) {
      list.push_back(one.data());
    }
    list.push_back(nullptr);
    return list;
  };
  const std::vector<char*> arguments = pointers(texts);
  const std::vector<char*> environment = pointers(variables);
  if (posix_spawnp(&process_, command_.front().c_str(), nullptr, nullptr, arguments.data(),
                   environment.data()) != 0) {
    process_ = -1;
    throw std::runtime_error("cannot start " + command_.front() +
                             "; deploy/install.sh --tests installs it");
  }
  while (!takes_connections(port_)) {
    int status = 0;
    if (waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      throw std::runtime_error(command_.front() + " ended by itself");
    }
    std::this_thread::sleep_for(kTryAgain);
  }
}

void ServiceProcess::signal(int number) const { ::kill(process_, number); }

void ServiceProcess::kill() {
  if (process_ > 0) {
    signal(SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }
}

RedisProcess::RedisProcess(const std::vector<std::string>& flags)
    : RedisProcess(free_port(), flags) {}

RedisProcess::RedisProcess(int port, const std::vector<std::string>& flags)
    : ServiceProcess(redis_command(port, flags), port) {}

HaproxyProcess::HaproxyProcess(const std::vector<int>& replicas)
    : HaproxyProcess(free_port(), replicas) {}

HaproxyProcess::HaproxyProcess(int port, const std::vector<int>& replicas)
    : ServiceProcess(haproxy_command(), port, haproxy_environment(port, replicas)) {}

}  // namespace surtitle
