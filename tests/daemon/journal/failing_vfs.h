// A VFS of SQLite in front of the system's. It makes the n-th call for one file fail, or simulates
// a loss of power at it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace surtitle {

class FailingVfs {
 public:
  // `file`: a data base. The files that SQLite has beside it are watched, too.
  explicit FailingVfs(std::string file);
  FailingVfs(const FailingVfs&) = delete;
  FailingVfs& operator=(const FailingVfs&) = delete;
  ~FailingVfs();

  // Of the writes, truncations and syncs from now on, the first `before` succeed and the next
  // `calls` fail. A write fails with `write_code`, the others with `other_code`, both SQLite's.
  void fail(int before, int calls, int write_code, int other_code);
  // Whether any call has failed.
  bool failed() const;

  // The contents of a disk after a loss of power, by the name of the file.
  using Disk = std::map<std::string, std::string>;
  // Simulates a loss of power after the first `before` writes, truncations and syncs from now on.
  // `lost` receives the contents of the disk at that moment; then everything continues. Of data
  // that SQLite did not sync, each sector has its old or its new content, as `seed` decides.
  void lose_power(int before, std::uint32_t seed, std::function<void(const Disk&)> lost);

  // The number of syncs of the write-ahead log.
  int log_syncs() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace surtitle
