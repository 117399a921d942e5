#include "daemon/journal/sqlite.h"

#include <stdexcept>

namespace surtitle {
namespace {

std::string message_of(sqlite3* handle) {
  constexpr int kPrimary = 0xff;
  const int code = sqlite3_errcode(handle) & kPrimary;
  std::string message = sqlite3_errmsg(handle);
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
    message +=
        "; to begin a new journal, stop the daemon and move the file and its -wal file away; "
        "'surtitle journal check' and 'surtitle journal export' read what is left";
  }
  return message;
}

}  // namespace

SqliteFile::SqliteFile(const std::filesystem::path& file) : name_(file.string()) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name_.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, /*zVfs=*/nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) {
    fail();
  }
  constexpr int kWaitForOthers = 5000;  // ms
  sqlite3_busy_timeout(handle, kWaitForOthers);
}

void SqliteFile::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail();
  }
}

void SqliteFile::fail() const {
  throw std::runtime_error(name_ + ": " + (handle_ ? message_of(handle_.get()) : "out of memory"));
}

SqliteStatement::SqliteStatement(const SqliteFile& file, std::string_view sql) : file_(file) {
  sqlite3_stmt* handle = nullptr;
  check(sqlite3_prepare_v3(file.handle(), sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &handle, nullptr));
  handle_.reset(handle);
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code != SQLITE_DONE) {
    const std::string what = message_of(file_.handle());
    reset();
    throw std::runtime_error(file_.name() + ": " + what);
  }
  reset();
  return false;
}

std::string SqliteStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

void SqliteStatement::reset() { sqlite3_reset(handle_.get()); }

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) {
    file_.fail();
  }
}

void SqliteStatement::bind_one(int place, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), place, value));
}

void SqliteStatement::bind_one(int place, const std::string& value) {
  check(sqlite3_bind_text(handle_.get(), place, value.data(), static_cast<int>(value.size()),
                          SQLITE_STATIC));
}

void SqliteStatement::bind_one(int place, const std::optional<std::string>& value) {
  if (value) {
    bind_one(place, *value);
  } else {
    check(sqlite3_bind_null(handle_.get(), place));
  }
}

}  // namespace surtitle
