// The disk under one file of SQLite's, whose n-th call fails: a VFS that stands before the system's
// own while this exists.
#pragma once

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

  // How often SQLite has waited for the disk to have its write-ahead log.
  int log_syncs() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace surtitle
