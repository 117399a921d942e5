// Damages the file of a journal as a failing disk does.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/daemon/support/journal_lock.h"

namespace surtitle {

// Overwrites the root page of the table in the file. REQUIRES: the file is not open elsewhere.
inline void damage_table(const std::string& file, const std::string& table) {
  std::int64_t page = 0;
  std::int64_t size = 0;
  {
    JournalLock lock(file);  // its end merges the -wal into the file
    page = lock.number("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'");
    size = lock.number("PRAGMA page_size");
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp((page - 1) * size);
  bytes << std::string(static_cast<std::size_t>(size), 'x');
}

// The error of the daemon and of `surtitle journal` for a damaged file, after "FILE: ".
inline constexpr const char* kDamaged =
    "database disk image is malformed; to begin a new journal, stop the daemon and move the file "
    "and its -wal file away; 'surtitle journal check' and 'surtitle journal export' read what is "
    "left";

}  // namespace surtitle
