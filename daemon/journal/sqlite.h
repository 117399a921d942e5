// SQLite's C interface with destructors and exceptions.
//
// Errors: all functions throw std::runtime_error with one line that has the file and the cause.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

class SqliteFile {
 public:
  // Opens an existing file.
  explicit SqliteFile(const std::filesystem::path& file);

  void run(const std::string& sql);
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }
  int changes() const { return sqlite3_changes(handle_.get()); }
  sqlite3* handle() const noexcept { return handle_.get(); }
  const std::string& name() const noexcept { return name_; }
  [[noreturn]] void fail() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// A statement that is prepared once. REQUIRES: the file and the values that were bound last outlive
// its use.
class SqliteStatement {
 public:
  SqliteStatement(const SqliteFile& file, std::string_view sql);

  // Resets the statement and binds its parameters, in order.
  template <typename... Values>
  SqliteStatement& bind(const Values&... values) {
    reset();
    int place = 0;
    (bind_one(++place, values), ...);
    return *this;
  }

  // Returns true if there is another row.
  bool step();
  // Steps to the end and ignores all rows.
  void run() {
    while (step()) {
    }
  }

  std::int64_t number(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::string text(int column) const;
  bool is_null(int column) const {
    return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
  }

 private:
  void reset();
  void check(int code) const;
  void bind_one(int place, std::int64_t value);
  void bind_one(int place, const std::string& value);
  void bind_one(int place, const std::optional<std::string>& value);

  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  const SqliteFile& file_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace surtitle
