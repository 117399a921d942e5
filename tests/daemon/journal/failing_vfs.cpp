#include "tests/daemon/journal/failing_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace surtitle {
namespace {

struct Plan {
  std::string file;
  int before = -1;
  int calls = 0;
  int write_code = SQLITE_OK;
  int other_code = SQLITE_OK;
  bool failed = false;
};
struct PowerCut {
  int before = -1;
  std::uint32_t seed = 0;
  std::function<void(const FailingVfs::Disk&)> lost = {};
};

// Global, because SQLite's functions have no context.
Plan plan;
PowerCut power_cut;
FailingVfs::Disk synced;  // the contents at the last sync
int log_syncs = 0;

// A file as SQLite sees it. The file of the system follows in the same memory.
struct File {
  sqlite3_file base;
  sqlite3_file* real;
  const char* name;
  bool watched;
  bool log;
};

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  // Copies blocks. A string from iterators would copy each of many megabytes alone.
  std::ostringstream all;
  all << in.rdbuf();
  return std::move(all).str();
}

// Returns a file after a loss of power: each sector from `old_content`, which was synced, or from
// `written`. Sectors that are in neither are zero.
std::string torn(const std::string& old_content, const std::string& written, std::mt19937& random) {
  constexpr std::size_t kSector = 512;
  const auto either = [&] { return random() % 2 == 0; };
  std::string all(either() ? old_content.size() : written.size(), '\0');
  for (std::size_t at = 0; at < all.size(); at += kSector) {
    const std::string& from = either() ? old_content : written;
    if (at < from.size()) {
      const std::size_t size = std::min({kSector, all.size() - at, from.size() - at});
      all.replace(at, size, from, at, size);
    }
  }
  return all;
}

FailingVfs::Disk disk_without_power() {
  std::mt19937 random(power_cut.seed);
  FailingVfs::Disk disk;
  for (const char* part : {"", "-wal", "-journal"}) {
    const std::string file = plan.file + part;
    if (std::filesystem::exists(file)) {
      disk[file] = torn(synced[file], content(file), random);
    }
  }
  return disk;
}

int next(sqlite3_file* file, int code) {
  if (!reinterpret_cast<File*>(file)->watched) {
    return SQLITE_OK;
  }
  if (power_cut.before >= 0 && power_cut.before-- == 0) {
    power_cut.lost(disk_without_power());
  }
  if (plan.before < 0 || plan.before-- > 0) {
    return SQLITE_OK;
  }
  plan.failed = true;
  plan.before = --plan.calls > 0 ? 0 : -1;
  return code;
}

sqlite3_file* real_of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

int close(sqlite3_file* file) {
  sqlite3_file* real = real_of(file);
  return real->pMethods == nullptr ? SQLITE_OK : real->pMethods->xClose(real);
}
int read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 at) {
  return real_of(file)->pMethods->xRead(real_of(file), to, bytes, at);
}
int write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 at) {
  const int code = next(file, plan.write_code);
  return code != SQLITE_OK ? code : real_of(file)->pMethods->xWrite(real_of(file), from, bytes, at);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int code = next(file, plan.other_code);
  return code != SQLITE_OK ? code : real_of(file)->pMethods->xTruncate(real_of(file), size);
}
int sync(sqlite3_file* file, int flags) {
  log_syncs += reinterpret_cast<File*>(file)->log ? 1 : 0;
  if (const int code = next(file, plan.other_code); code != SQLITE_OK) {
    return code;
  }
  const File& watched = *reinterpret_cast<File*>(file);
  if (!watched.watched || !power_cut.lost) {
    return real_of(file)->pMethods->xSync(real_of(file), flags);
  }
  synced[watched.name] = content(watched.name);  // the real disk need not sync
  return SQLITE_OK;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
int lock(sqlite3_file* file, int level) {
  return real_of(file)->pMethods->xLock(real_of(file), level);
}
int unlock(sqlite3_file* file, int level) {
  return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
int check_lock(sqlite3_file* file, int* locked) {
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), locked);
}
int control(sqlite3_file* file, int what, void* argument) {
  return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}
int sector_size(sqlite3_file* file) { return real_of(file)->pMethods->xSectorSize(real_of(file)); }
int characteristics(sqlite3_file* file) {
  return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, memory);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }
int shm_unmap(sqlite3_file* file, int erase) {
  return real_of(file)->pMethods->xShmUnmap(real_of(file), erase);
}

constexpr sqlite3_io_methods kMethods = {
    2,         close,      read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_lock, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, nullptr,    nullptr};

sqlite3_vfs* system_vfs = nullptr;

int open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* got) {
  auto* own = reinterpret_cast<File*>(file);
  own->real = reinterpret_cast<sqlite3_file*>(own + 1);
  const int code = system_vfs->xOpen(system_vfs, name, own->real, flags, got);
  own->name = name;
  own->watched = name != nullptr && std::string_view(name).starts_with(plan.file);
  own->log = own->watched && (static_cast<unsigned>(flags) & SQLITE_OPEN_WAL) != 0;
  own->base.pMethods = own->real->pMethods == nullptr ? nullptr : &kMethods;
  return code;
}

}  // namespace

struct FailingVfs::Parts {
  sqlite3_vfs vfs;
};

FailingVfs::FailingVfs(std::string file) : parts_(std::make_unique<Parts>()) {
  plan = {};
  plan.file = std::move(file);
  power_cut = {};
  synced.clear();
  surtitle::log_syncs = 0;
  system_vfs = sqlite3_vfs_find(nullptr);
  parts_->vfs = *system_vfs;
  parts_->vfs.zName = "failing";
  parts_->vfs.pNext = nullptr;
  parts_->vfs.szOsFile = static_cast<int>(sizeof(File)) + system_vfs->szOsFile;
  parts_->vfs.xOpen = open;
  if (sqlite3_vfs_register(&parts_->vfs, /*makeDflt=*/1) != SQLITE_OK) {
    throw std::runtime_error("sqlite3_vfs_register failed");
  }
}

FailingVfs::~FailingVfs() {
  sqlite3_vfs_unregister(&parts_->vfs);
  sqlite3_vfs_register(system_vfs, /*makeDflt=*/1);
}

void FailingVfs::fail(int before, int calls, int write_code, int other_code) {
  plan = {plan.file, before, calls, write_code, other_code, false};
}

bool FailingVfs::failed() const { return plan.failed; }

void FailingVfs::lose_power(int before, std::uint32_t seed, std::function<void(const Disk&)> lost) {
  power_cut = {before, seed, std::move(lost)};
}

int FailingVfs::log_syncs() const { return surtitle::log_syncs; }

}  // namespace surtitle
