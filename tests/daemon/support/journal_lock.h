// A second connection to a daemon's journal, which locks it.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace surtitle {

// Locks the journal in this file for writing while it exists. Its own changes count once commit()
// returns.
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
  // Returns the result of a query, one number.
  std::int64_t number(const std::string& sql) {
    std::int64_t found = -1;
    const auto take = [](void* to, int /*columns*/, char** values, char** /*names*/) {
      *static_cast<std::int64_t*>(to) = std::stoll(values[0]);
      return 0;
    };
    if (sqlite3_exec(handle_, sql.c_str(), take, &found, nullptr) != SQLITE_OK) {
      fail();
    }
    return found;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(file_ + ": " + sqlite3_errmsg(handle_));
  }

  const std::string file_;
  sqlite3* handle_ = nullptr;
};

}  // namespace surtitle
