// The disk under one file of SQLite's, whose n-th call fails or is the last before the power goes:
// a VFS that stands before the system's own while this exists.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace surtitle {

class FailingVfs {
 public:
  // `file`, and what SQLite has beside it.
  explicit FailingVfs(std::string file);
  FailingVfs(const FailingVfs&) = delete;
  FailingVfs& operator=(const FailingVfs&) = delete;
  ~FailingVfs();

  // Of the writes, truncations and syncs from now on, `calls` fail behind the first `before`. A
  // write says `write_code`, all else `other_code`, both SQLite's.
  void fail(int before, int calls, int write_code, int other_code);
  // Whether any has.
  bool failed() const;

  // What a disk has once the power is back, by the name of the file.
  using Disk = std::map<std::string, std::string>;
  // The power goes behind the first `before` writes, truncations and syncs from now on: `lost` is
  // told what the disk has then, and all goes on. Of what the disk was not waited for it has each
  // sector as it was or as it was written, as `seed` has it.
  void lose_power(int before, std::uint32_t seed, std::function<void(const Disk&)> lost);

  // How often SQLite has waited for the disk to have its write-ahead log.
  int log_syncs() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace surtitle
