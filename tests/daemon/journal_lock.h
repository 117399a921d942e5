// Somebody beside the daemon who has its journal.
#pragma once

#include <sqlite3.h>

#include <stdexcept>
#include <string>

namespace surtitle {

// Nobody else writes the journal in this file while it lives. What it does counts once it commits.
class JournalLock {
 public:
  explicit JournalLock(const std::string& file) : file_(file) {
    if (sqlite3_open(file.c_str(), &handle_) != SQLITE_OK) {
      fail();
    }
    run("BEGIN IMMEDIATE");
  }
  JournalLock(const JournalLock&) = delete;
  JournalLock& operator=(const JournalLock&) = delete;
  ~JournalLock() { sqlite3_close(handle_); }

  void run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      fail();
    }
  }
  void commit() { run("COMMIT"); }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(file_ + ": " + sqlite3_errmsg(handle_));
  }

  const std::string file_;
  sqlite3* handle_ = nullptr;
};

}  // namespace surtitle
