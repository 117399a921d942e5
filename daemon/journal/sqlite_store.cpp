#include "daemon/journal/sqlite_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "daemon/base/log.h"
#include "daemon/base/private_file.h"
#include "daemon/journal/sqlite.h"

namespace surtitle {
namespace {

constexpr int kSchema = 1;

constexpr const char* kMakeSchema = R"(
  CREATE TABLE stream (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    channel TEXT,
    started INTEGER NOT NULL,
    settings TEXT NOT NULL,
    ended INTEGER
  );
  CREATE TABLE row (
    stream INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    input TEXT NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (stream, number)
  ) WITHOUT ROWID;
  CREATE INDEX stream_ended ON stream (ended);
)";

std::int64_t now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + ": " + why);
}

// Creates the file for its owner only, because SQLite would create it for all users.
void make_private(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    refuse(file, "cannot open the journal: " + std::generic_category().message(errno));
  }
  ::close(descriptor);
}

// Allows one daemon at a time to use the journal, even if its path contains links. The kernel
// releases the lock when the process ends. REQUIRES: the file exists.
class OwnersLock {
 public:
  explicit OwnersLock(const std::filesystem::path& file)
      : descriptor_(::open((std::filesystem::canonical(file).string() + ".lock").c_str(),
                           O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) {
      refuse(file, "cannot create the lock file of the journal: " +
                       std::generic_category().message(errno));
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor_);
      refuse(file,
             "another daemon uses this journal; stop it, or choose another file (--journal-path of "
             "surtitled)");
    }
  }
  OwnersLock(const OwnersLock&) = delete;
  OwnersLock& operator=(const OwnersLock&) = delete;
  ~OwnersLock() { ::close(descriptor_); }

 private:
  const int descriptor_;
};

std::int64_t schema_of(const SqliteFile& file) {
  SqliteStatement version(file, "PRAGMA user_version");
  return version.step() ? version.number(0) : 0;
}

// Returns the number of tables with this property.
std::int64_t tables(const SqliteFile& file, const std::string& where) {
  SqliteStatement count(file, "SELECT count(*) FROM sqlite_master WHERE " + where);
  return count.step() ? count.number(0) : 0;
}

// Returns true if no program has used the file as a database yet.
bool is_empty(const SqliteFile& file) { return schema_of(file) == 0 && tables(file, "TRUE") == 0; }

void check_schema(const SqliteFile& file) {
  const std::int64_t schema = schema_of(file);
  if (schema > kSchema) {
    refuse(file.name(), "the journal has version " + std::to_string(schema) +
                            ", but this program supports version " + std::to_string(kSchema));
  }
  constexpr int kTables = 2;
  if (schema != kSchema ||
      tables(file, "type = 'table' AND name IN ('stream', 'row')") != kTables) {
    refuse(file.name(), "the file is not a journal of surtitled");
  }
}

JournaledStream read_stream_row(const SqliteStatement& row) {
  return {row.text(1), row.text(2), row.is_null(3) ? std::nullopt : std::optional(row.text(3)),
          row.number(4), row.text(5)};
}

// Selects the columns of a StreamSummary, up to the condition.
constexpr std::string_view kSummary =
    "SELECT id, name, key, channel, started, settings, ended, "
    "(SELECT coalesce(max(number) + 1, 0) FROM row WHERE stream = stream.id) FROM stream WHERE ";

void read_summaries(SqliteStatement& streams, bool past, std::vector<StreamSummary>& summaries) {
  while (streams.step()) {
    summaries.push_back({read_stream_row(streams), streams.number(7), !streams.is_null(6), past});
  }
}

constexpr const char* kRowsOf =
    "SELECT at, input, lines FROM row "
    "WHERE stream = (SELECT id FROM stream WHERE name = ?) ORDER BY number";

class SqliteStore : public LocalStore {
 public:
  SqliteStore(const std::filesystem::path& file, JournalSync sync) : lock_(file), file_(file) {
    const bool empty = is_empty(file_);
    if (!empty) {
      check_schema(file_);  // before any change of the file
    }
    file_.run("PRAGMA journal_mode = WAL");
    file_.run(sync == JournalSync::kFull ? "PRAGMA synchronous = FULL"
                                         : "PRAGMA synchronous = NORMAL");
    if (empty) {
      file_.run("BEGIN;" + std::string(kMakeSchema) +
                "PRAGMA user_version = " + std::to_string(kSchema) + "; COMMIT");
    }
  }

  std::string identity() override {
    file_.run("CREATE TABLE IF NOT EXISTS replica (id TEXT NOT NULL)");
    file_.run(
        "INSERT INTO replica SELECT lower(hex(randomblob(16))) "
        "WHERE NOT EXISTS (SELECT 1 FROM replica)");
    SqliteStatement id(file_, "SELECT id FROM replica");
    return id.step() ? id.text(0) : std::string();
  }

  void regenerate_id() override { file_.run("UPDATE replica SET id = lower(hex(randomblob(16)))"); }

  std::vector<JournalRow> read_rows(const std::string& stream, std::int64_t from,
                                    std::size_t max_rows) override {
    roll_back_open_transaction();
    SqliteStatement rows(file_,
                         "SELECT at, input, lines FROM row "
                         "WHERE stream = (SELECT id FROM stream WHERE name = ?) AND number >= ? "
                         "ORDER BY number LIMIT ?");
    rows.bind(stream, from, static_cast<std::int64_t>(max_rows));
    std::vector<JournalRow> all;
    while (rows.step()) {
      all.push_back({rows.number(0), rows.text(1), rows.text(2)});
    }
    return all;
  }

  JournaledStream read_stream(const std::string& name) override {
    roll_back_open_transaction();
    SqliteStatement stream(file_,
                           "SELECT id, name, key, channel, started, settings FROM stream "
                           "WHERE name = ?");
    stream.bind(name);
    if (!stream.step()) {
      throw std::runtime_error(file_.name() + ": the journal has no stream '" + name + "'");
    }
    return read_stream_row(stream);
  }

  void write(std::span<const JournalEntry> entries) override {
    Statements& statements = prepared();
    in_transaction([&] {
      drop_stale_cursors(statements);
      for (const JournalEntry& entry : entries) {
        write(entry, statements);
      }
    });
  }

  RecoverableStreams load_recoverable(std::int64_t ended, int channels) override {
    RecoverableStreams left;
    SqliteStatement open(file_, std::string(kSummary) + "ended IS NULL OR ended >= ? ORDER BY id");
    read_summaries(open.bind(ended), /*past=*/false, left.summaries);
    try {
      SqliteStatement past(file_, std::string(kSummary) +
                                      "ended >= 0 AND ended < ? AND id IN (SELECT max(id) FROM "
                                      "stream WHERE channel IS NOT NULL GROUP BY channel "
                                      "ORDER BY max(id) DESC LIMIT ?) ORDER BY id");
      read_summaries(past.bind(ended, std::int64_t{channels}), /*past=*/true, left.summaries);
    } catch (const std::runtime_error& damage) {  // which matters once a running stream meets it
      log(LogLevel::kError, "Last streams of channels unreadable", {{"error", damage.what()}});
    }
    left.read = [file = std::make_shared<SqliteFile>(file_.name())](const StreamSummary& summary) {
      SqliteStatement rows(*file, kRowsOf);
      rows.bind(summary.stream.name);
      StreamHistory history{summary.stream, {}, summary.ended};
      while (rows.step()) {
        history.rows.push_back({rows.number(0), rows.text(1), rows.text(2)});
      }
      return history;
    };
    return left;
  }

  // Deletes a limited number of rows, because running streams wait meanwhile. A stream that has
  // rows left is marked with ended = -1: its missing rows are no damage.
  bool purge(std::int64_t before) override {
    SqliteStatement oldest(file_, "SELECT id FROM stream WHERE ended < ? ORDER BY ended LIMIT 1");
    oldest.bind(before);
    if (!oldest.step()) {
      return false;
    }
    const std::int64_t id = oldest.number(0);
    oldest.run();
    in_transaction([&] { purge_some_of(id); });
    return true;
  }

 private:
  void purge_some_of(std::int64_t id) {
    constexpr std::int64_t kRows = 1000;
    SqliteStatement rows(file_,
                         "DELETE FROM row WHERE stream = ?1 AND number IN "
                         "(SELECT number FROM row WHERE stream = ?1 ORDER BY number LIMIT ?2)");
    rows.bind(id, kRows).run();
    SqliteStatement stream(file_, file_.changes() < kRows
                                      ? "DELETE FROM stream WHERE id = ?"
                                      : "UPDATE stream SET ended = -1 WHERE id = ?");
    stream.bind(id).run();
  }

  // A failed transaction is still open if memory ran out during its rollback.
  void roll_back_open_transaction() {
    if (sqlite3_get_autocommit(file_.handle()) == 0) {
      file_.run("ROLLBACK");
    }
  }

  template <typename Work>
  void in_transaction(const Work& work) {
    roll_back_open_transaction();
    file_.run("BEGIN IMMEDIATE");
    try {
      work();
      file_.run("COMMIT");
    } catch (...) {
      cursors_.clear();  // they may count rows that are rolled back
      sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  // The end of a running stream's history.
  struct StreamCursor {
    std::int64_t id = 0;
    std::int64_t next_row = 0;
  };

  struct Statements {
    explicit Statements(const SqliteFile& file)
        : begin(
              file,
              "INSERT INTO stream (name, key, channel, started, settings) VALUES (?, ?, ?, ?, ?)"),
          row(file, "INSERT INTO row (stream, number, at, input, lines) VALUES (?, ?, ?, ?, ?)"),
          end(file, "UPDATE stream SET ended = ? WHERE id = ?"),
          moved(file, "UPDATE stream SET ended = 0 WHERE name = ?"),
          drop_rows(file, "DELETE FROM row WHERE stream = (SELECT id FROM stream WHERE name = ?)"),
          drop(file, "DELETE FROM stream WHERE name = ?"),
          cursor(file,
                 "SELECT id, coalesce((SELECT max(number) + 1 FROM row WHERE stream = id), 0) "
                 "FROM stream WHERE name = ?"),
          data_version(file, "PRAGMA data_version") {}
    SqliteStatement begin;
    SqliteStatement row;
    SqliteStatement end;
    SqliteStatement moved;
    SqliteStatement drop_rows;
    SqliteStatement drop;
    SqliteStatement cursor;
    SqliteStatement data_version;
  };

  Statements& prepared() {
    if (!statements_) {
      statements_.emplace(file_);
    }
    return *statements_;
  }

  // If another connection has written the file, it may have deleted streams.
  void drop_stale_cursors(Statements& statements) {
    if (statements.data_version.bind().step()) {
      const std::int64_t version = statements.data_version.number(0);
      if (std::exchange(data_version_, version) != version) {
        cursors_.clear();
      }
    }
    statements.data_version.run();
  }

  StreamCursor& cursor_of(const std::string& stream, Statements& statements) {
    const auto known = cursors_.find(stream);
    if (known != cursors_.end()) {
      return known->second;
    }
    statements.cursor.bind(stream);
    if (!statements.cursor.step()) {
      throw UnknownStream(file_.name(), stream);
    }
    const StreamCursor cursor{statements.cursor.number(0), statements.cursor.number(1)};
    statements.cursor.run();
    return cursors_[stream] = cursor;
  }

  void write(const JournalEntry& entry, Statements& statements) {
    if (entry.moved) {
      cursors_.erase(entry.stream);
      statements.moved.bind(entry.stream).run();
      return;
    }
    if (const std::optional<JournaledStream>& begins = entry.begins) {
      statements.drop_rows.bind(begins->name).run();  // an older copy of the stream
      statements.drop.bind(begins->name).run();
      statements.begin
          .bind(begins->name, begins->key, begins->channel, begins->started, begins->settings)
          .run();
      cursors_[entry.stream] = {file_.last_row(), 0};
    }
    StreamCursor& cursor = cursor_of(entry.stream, statements);
    if (entry.row) {
      statements.row
          .bind(cursor.id, cursor.next_row, entry.row->at, entry.row->input, entry.row->lines)
          .run();
      ++cursor.next_row;
    }
    if (entry.ends) {
      statements.end.bind(now(), cursor.id).run();
      cursors_.erase(entry.stream);
    }
  }

  const OwnersLock lock_;
  SqliteFile file_;
  std::optional<Statements> statements_;
  std::map<std::string, StreamCursor, std::less<>> cursors_;
  std::int64_t data_version_ = 0;  // changes if another connection writes the file
};

}  // namespace

std::filesystem::path journal_file(const std::string& path) {
  if (path != "auto") {
    return path;
  }
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
  };
  constexpr const char* kFile = "journal.sqlite";
  if (const std::filesystem::path service = set("STATE_DIRECTORY"); !service.empty()) {
    return service / kFile;
  }
  const std::filesystem::path state = set("XDG_STATE_HOME");
  if (state.empty() && set("HOME").empty()) {
    throw std::runtime_error(
        "cannot find a folder for the journal: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME is "
        "set; choose a file with --journal-path, or none");
  }
  return (state.empty() ? set("HOME") / ".local" / "state" : state) / "surtitle" / kFile;
}

JournalSync journal_sync(const std::string& setting) {
  return setting == "full" ? JournalSync::kFull : JournalSync::kNormal;
}

std::unique_ptr<LocalStore> open_sqlite_store(const std::filesystem::path& file, JournalSync sync) {
  std::error_code failure;
  if (std::filesystem::create_directories(file.parent_path(), failure)) {
    std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all, failure);
  }
  make_private(file);
  auto store = std::make_unique<SqliteStore>(file, sync);
  warn_if_others_may_read(file, "Journal is readable by all users of this machine; run chmod 600");
  return store;
}

namespace {

// Checks the permissions. A reader of a file in WAL mode also writes files beside it.
void require_journal(const std::filesystem::path& file) {
  std::error_code failure;
  const std::filesystem::file_type type = std::filesystem::status(file, failure).type();
  if (type == std::filesystem::file_type::not_found) {
    refuse(file, "the journal does not exist");
  }
  if (failure) {
    refuse(file, failure.message());
  }
  if (type != std::filesystem::file_type::regular) {
    refuse(file, "the journal must be a regular file");
  }
  const auto may = [](const std::filesystem::path& path, int mode) {
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
  };
  if (!may(file, R_OK | W_OK) || !may(std::filesystem::absolute(file).parent_path(), W_OK | X_OK)) {
    refuse(file,
           "reading a journal needs write permission for the file and its folder; run this as the "
           "user of the daemon");
  }
}

SqliteFile open_journal(const std::filesystem::path& path) {
  require_journal(path);
  SqliteFile file(path);
  check_schema(file);
  return file;
}

}  // namespace

struct JournalReader::Parts {
  explicit Parts(const std::filesystem::path& path)
      : file(open_journal(path)),
        rows(file,
             "SELECT number, at, input, lines FROM row "
             "WHERE stream = (SELECT id FROM stream WHERE name = ?) ORDER BY number") {
    file.run("BEGIN");
  }
  SqliteFile file;
  SqliteStatement rows;
};

JournalReader::JournalReader(const std::filesystem::path& file)
    : parts_(std::make_unique<Parts>(file)) {}

JournalReader::~JournalReader() = default;

std::vector<JournalListing> JournalReader::streams(const std::optional<std::string>& channel) {
  std::vector<JournalListing> all;
  SqliteStatement row(parts_->file,
                      "SELECT id, name, key, channel, started, settings, ended FROM stream "
                      "WHERE (ended IS NULL OR ended >= 0) AND (?1 IS NULL OR channel = ?1) "
                      "ORDER BY id");
  row.bind(channel);
  while (row.step()) {
    all.push_back(
        {read_stream_row(row), row.is_null(6) ? std::nullopt : std::optional(row.number(6))});
  }
  return all;
}

void JournalReader::each_row(const std::string& stream, const OnRow& on_row) {
  SqliteStatement& rows = parts_->rows;
  rows.bind(stream);
  while (rows.step()) {
    on_row(rows.number(0), {rows.number(1), rows.text(2), rows.text(3)});
  }
}

std::vector<std::string> JournalReader::faults() {
  std::vector<std::string> faults;
  SqliteStatement check(parts_->file, "PRAGMA integrity_check");
  while (check.step()) {
    if (check.text(0) != "ok") {
      faults.push_back(check.text(0));
    }
  }
  return faults;
}

std::vector<std::string> JournalReader::lost_rows() {
  std::vector<std::string> faults;
  SqliteStatement lost(parts_->file,
                       "SELECT stream, min(number) FROM row "
                       "WHERE stream NOT IN (SELECT id FROM stream) GROUP BY stream");
  while (lost.step()) {
    faults.push_back("stream number " + std::to_string(lost.number(0)) +
                     " is missing, but it has rows; the first is row " +
                     std::to_string(lost.number(1)));
  }
  return faults;
}

void JournalReader::vacuum() {
  const OwnersLock lock(parts_->file.name());
  parts_->file.run("COMMIT");
  parts_->file.run("VACUUM");
  parts_->file.run("BEGIN");
}

}  // namespace surtitle
